package dev.postrider.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/**
 * Draws inline SVG charts: lines over a common pair of axes, or horizontal bars. Colors are CSS
 * classes, so that the style sheet selects them for light and dark mode.
 */
final class Plot {
  /** One named line; the points are (x, y) in the units of the axes. */
  record Line(String name, List<double[]> points) {}

  /** One bar, with a mark where its goal is. */
  record Bar(String name, double value, Goal goal) {}

  /** Where a value stands on an axis, from 0 to 1, and which values are labelled. */
  private record Axis(DoubleUnaryOperator place, double[] ticks, String unit) {}

  private static final int WIDTH = 560;
  private static final int HEIGHT = 230;
  private static final int LEFT = 62;
  private static final int RIGHT = 24;
  private static final int TOP = 26;
  private static final int BOTTOM = 26;
  private static final int LEGEND_ROW = 18;
  private static final int BAR_ROW = 40;
  private static final int STEPS = 4;
  private static final int COLOURS = 6;
  private static final double[] PERCENTILES = {0, 50, 90, 99, 99.9, 99.99};
  private static final double[] NICE = {1, 2, 2.5, 5, 10};

  private Plot() {}

  static String lines(List<Line> lines, String xUnit, String yUnit) {
    return frame(lines, linear(max(lines, 0), xUnit), linear(max(lines, 1), yUnit), Numbers::tick);
  }

  /**
   * Percentiles over a scale that widens towards 100, against a logarithmic one: a tail of seconds
   * and a middle of milliseconds are both readable.
   */
  static String distribution(List<Line> lines, String yUnit) {
    Axis percentiles = new Axis(p -> Math.log10(100 / (100 - p)) / 4, PERCENTILES, "");
    return frame(lines, percentiles, logarithmic(lines, yUnit), p -> "p" + Numbers.tick(p));
  }

  private interface Label {
    String of(double value);
  }

  private static Axis linear(double most, String unit) {
    double step = nice(most / STEPS);
    int count = (int) Math.ceil(most / step - 1e-9);
    double top = step * count;
    double[] ticks = new double[count + 1];
    for (int i = 0; i <= count; i++) {
      ticks[i] = step * i;
    }
    return new Axis(value -> value / top, ticks, unit);
  }

  private static double nice(double rough) {
    double decade = Math.pow(10, Math.floor(Math.log10(rough)));
    for (double factor : NICE) {
      if (factor * decade >= rough) {
        return factor * decade;
      }
    }
    return 10 * decade;
  }

  private static Axis logarithmic(List<Line> lines, String unit) {
    double least =
        lines.stream()
            .flatMap(line -> line.points().stream())
            .mapToDouble(point -> point[1])
            .filter(value -> value > 0)
            .min()
            .orElse(1);
    int from = (int) Math.floor(Math.log10(least));
    int to = Math.max(from + 1, (int) Math.ceil(Math.log10(max(lines, 1))));
    double[] ticks = new double[to - from + 1];
    for (int i = 0; i < ticks.length; i++) {
      ticks[i] = Math.pow(10, from + (double) i);
    }
    return new Axis(value -> (Math.log10(value) - from) / (to - from), ticks, unit);
  }

  private static String frame(List<Line> lines, Axis x, Axis y, Label xLabel) {
    StringBuilder svg = open(HEIGHT + BOTTOM + LEGEND_ROW * lines.size());
    for (double tick : y.ticks()) {
      double at = vertical(y, tick);
      svg.append(line(LEFT, at, WIDTH - RIGHT, at, "grid"));
      svg.append(text(LEFT - 6.0, at + 4, "end", Numbers.tick(tick)));
    }
    for (double tick : x.ticks()) {
      double at = horizontal(x, tick);
      svg.append(line(at, HEIGHT, at, HEIGHT + 4.0, "grid"));
      svg.append(text(at, HEIGHT + 17.0, "middle", xLabel.of(tick)));
    }
    svg.append(text(LEFT - 56.0, TOP - 12.0, "start", y.unit()));
    svg.append(text(WIDTH - (double) RIGHT, HEIGHT - 6.0, "end", x.unit()));
    for (int i = 0; i < lines.size(); i++) {
      svg.append(drawn(lines.get(i), i, x, y));
    }
    return svg.append("</svg>").toString();
  }

  private static String drawn(Line line, int index, Axis x, Axis y) {
    StringBuilder points = new StringBuilder();
    StringBuilder dots = new StringBuilder();
    for (double[] point : line.points()) {
      String px = at(horizontal(x, point[0]));
      String py = at(vertical(y, point[1]));
      points.append(px).append(',').append(py).append(' ');
      if (line.points().size() <= STEPS) {
        dots.append(
            "<circle cx='%s' cy='%s' r='3.5' class='fill c%d'/>"
                .formatted(px, py, index % COLOURS));
      }
    }
    double legend = HEIGHT + BOTTOM + (double) LEGEND_ROW * index + 12;
    return "<polyline class='line c%d' points='%s'/>%s<rect x='%d' y='%s' width='12' height='4' rx='2' class='fill c%d'/>%s"
        .formatted(
            index % COLOURS,
            points.toString().strip(),
            dots,
            LEFT,
            at(legend - 6),
            index % COLOURS,
            text(LEFT + 20.0, legend, "start", line.name()));
  }

  private static double horizontal(Axis axis, double value) {
    return LEFT + (WIDTH - LEFT - RIGHT) * Math.clamp(axis.place().applyAsDouble(value), 0, 1);
  }

  private static double vertical(Axis axis, double value) {
    double place = value <= 0 ? 0 : Math.clamp(axis.place().applyAsDouble(value), 0, 1);
    return HEIGHT - (HEIGHT - (double) TOP) * place;
  }

  /** Each with a scale of its own, since a target of 0.2 and one of 5 do not fit on one. */
  static String bars(List<Bar> bars) {
    double room = WIDTH - 2.0 * RIGHT - 60;
    StringBuilder svg = open(BAR_ROW * bars.size() + 4);
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      double bound = bar.goal().bound();
      double most = Math.max(bar.value(), bound) * 1.15;
      double y = (double) BAR_ROW * i;
      double length = room * Math.max(0, bar.value()) / most;
      double goal = RIGHT + room * bound / most;
      boolean met = bar.goal().met(bar.value());
      svg.append(text(RIGHT, y + 13, "start", bar.name()))
          .append(
              "<rect x='%d' y='%s' width='%s' height='12' class='track'/>"
                  .formatted(RIGHT, at(y + 19), at(room)))
          .append(
              "<rect x='%d' y='%s' width='%s' height='12' class='%s'/>"
                  .formatted(RIGHT, at(y + 19), at(length), met ? "good" : "bad"))
          .append(line(goal, y + 16, goal, y + 34, "goal"))
          .append(text(RIGHT + room + 8, y + 29, "start", Numbers.show(bar.value())));
    }
    return svg.append("</svg>").toString();
  }

  private static StringBuilder open(int height) {
    return new StringBuilder("<svg viewBox='0 0 %d %d' role='img'>".formatted(WIDTH, height));
  }

  private static String line(double x1, double y1, double x2, double y2, String kind) {
    return "<line x1='%s' y1='%s' x2='%s' y2='%s' class='%s'/>"
        .formatted(at(x1), at(y1), at(x2), at(y2), kind);
  }

  private static String text(double x, double y, String anchor, String text) {
    return "<text x='%s' y='%s' text-anchor='%s'>%s</text>"
        .formatted(at(x), at(y), anchor, HtmlReport.escape(text));
  }

  private static String at(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static double max(List<Line> lines, int axis) {
    double most =
        lines.stream()
            .flatMap(line -> line.points().stream())
            .mapToDouble(point -> point[axis])
            .max()
            .orElse(0);
    return most > 0 ? most : 1;
  }
}
