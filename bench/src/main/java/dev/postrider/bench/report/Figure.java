package dev.postrider.bench.report;

import org.jspecify.annotations.Nullable;

/**
 * One measured value with its unit and, if the project has set one, its target.
 *
 * @param met whether the goal is met; null without a goal
 */
public record Figure(
    String name, double value, String unit, @Nullable Goal goal, @Nullable Boolean met) {
  public static Figure of(String name, double value, String unit) {
    return new Figure(name, value, unit, null, null);
  }

  public static Figure against(String name, double value, String unit, Goal goal) {
    return new Figure(name, value, unit, goal, goal.met(value));
  }

  public boolean missed() {
    return Boolean.FALSE.equals(met);
  }
}
