package dev.postrider.bench.report;

import java.util.List;

/** A series of points for a chart: a value that depends on another one. */
public record Curve(String title, String xUnit, String yUnit, List<Point> points) {
  /** One measurement. */
  public record Point(double x, double y) {}
}
