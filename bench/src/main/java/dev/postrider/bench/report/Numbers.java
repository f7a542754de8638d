package dev.postrider.bench.report;

import java.util.Locale;

/** Numbers as people read them, the same in every locale. */
final class Numbers {
  private Numbers() {}

  static String show(double value) {
    double size = Math.abs(value);
    String form = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, form, value);
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
