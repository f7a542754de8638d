package dev.postrider.bench.report;

import java.util.Locale;

/** Formats numbers for people, the same in every locale. */
final class Numbers {
  private Numbers() {}

  static String show(double value) {
    double size = Math.abs(value);
    String form = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, form, value);
  }

  /** At an axis: as short as it can be. */
  static String tick(double value) {
    if (value >= 1_000_000) {
      return trimmed(value / 1_000_000) + " M";
    }
    return value >= 10_000 ? trimmed(value / 1_000) + " k" : trimmed(value);
  }

  private static String trimmed(double value) {
    String text = String.format(Locale.ROOT, "%,.3f", value);
    return text.replaceAll("0+$", "").replaceAll("\\.$", "");
  }

  static String goal(Figure figure) {
    Goal goal = figure.goal();
    if (goal == null) {
      return "";
    }
    return (goal.atLeast() ? "≥ " : "≤ ") + show(goal.bound());
  }

  static String verdict(Figure figure) {
    Boolean met = figure.met();
    if (met == null) {
      return "";
    }
    return met ? "met" : "missed";
  }
}
