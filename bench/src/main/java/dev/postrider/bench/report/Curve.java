package dev.postrider.bench.report;

import java.util.List;

/** A figure that depends on another one, for a plot of its own. */
public record Curve(String title, String xUnit, String yUnit, List<Point> points) {
  /** One measurement. */
  public record Point(double x, double y) {}
}
