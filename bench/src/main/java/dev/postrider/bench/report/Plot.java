package dev.postrider.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/** Inline SVG: lines over a common pair of axes, or horizontal bars. */
final class Plot {
  /** One named line; the points are (x, y) in the units of the axes. */
  record Line(String name, List<double[]> points) {}

  /** One bar, with a mark where its goal is. */
  record Bar(String name, double value, double goal) {}

  private static final int WIDTH = 640;
  private static final int HEIGHT = 220;
  private static final int LEFT = 64;
  private static final int BOTTOM = 28;
  private static final int TOP = 12;
  private static final int BAR = 22;
  private static final int STEPS = 4;
  private static final String[] COLOURS = {
    "#2563eb", "#d97706", "#059669", "#db2777", "#7c3aed", "#475569"
  };

  private Plot() {}

  static String lines(List<Line> lines, String xUnit, String yUnit) {
    double xMax = max(lines, 0);
    double yMax = max(lines, 1);
    return frame(lines, yMax, x -> x / xMax, "0", Numbers.show(xMax) + " " + xUnit, yUnit);
  }

  /** Percentiles over a scale that widens towards 100: 0, 90, 99, 99.9, 99.99. */
  static String distribution(List<Line> lines, String yUnit) {
    DoubleUnaryOperator nines = p -> Math.log10(100 / (100 - p)) / 4;
    return frame(lines, max(lines, 1), nines, "p0", "p99.99", yUnit);
  }

  private static String frame(
      List<Line> lines,
      double yMax,
      DoubleUnaryOperator scale,
      String from,
      String to,
      String yUnit) {
    StringBuilder svg = open(HEIGHT + BOTTOM + 20 * lines.size());
    double plotHeight = HEIGHT - (double) TOP;
    for (int i = 0; i <= STEPS; i++) {
      double y = HEIGHT - plotHeight * i / STEPS;
      svg.append(
          "<line x1='%d' y1='%s' x2='%d' y2='%s' class='grid'/>"
              .formatted(LEFT, at(y), WIDTH, at(y)));
      svg.append(text(LEFT - 6, y + 4, "end", Numbers.show(yMax * i / STEPS)));
    }
    svg.append(text(LEFT, HEIGHT + 16.0, "start", from));
    svg.append(text(WIDTH, HEIGHT + 16.0, "end", to));
    svg.append(text(LEFT + 4, TOP + 10.0, "start", yUnit));
    for (int i = 0; i < lines.size(); i++) {
      String colour = COLOURS[i % COLOURS.length];
      svg.append("<polyline fill='none' stroke='%s' points='".formatted(colour));
      for (double[] point : lines.get(i).points()) {
        double x = LEFT + (WIDTH - LEFT) * Math.clamp(scale.applyAsDouble(point[0]), 0, 1);
        svg.append(at(x)).append(',').append(at(HEIGHT - plotHeight * point[1] / yMax)).append(' ');
      }
      double y = HEIGHT + BOTTOM + 20.0 * i + 8;
      svg.append("'/>")
          .append(
              "<rect x='%d' y='%s' width='10' height='10' fill='%s'/>"
                  .formatted(LEFT, at(y - 9), colour))
          .append(text(LEFT + 16, y, "start", lines.get(i).name()));
    }
    return svg.append("</svg>").toString();
  }

  static String bars(List<Bar> bars) {
    double most =
        bars.stream().mapToDouble(bar -> Math.max(bar.value(), bar.goal())).max().orElse(1);
    double room = WIDTH - 300.0;
    StringBuilder svg = open(BAR * bars.size() + TOP);
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      double y = TOP + (double) BAR * i;
      svg.append(text(230, y + 11, "end", bar.name()))
          .append(
              "<rect x='240' y='%s' width='%s' height='14' fill='%s'/>"
                  .formatted(at(y), at(room * bar.value() / most), COLOURS[0]))
          .append(
              text(
                  (int) (244 + room * bar.value() / most),
                  y + 11,
                  "start",
                  Numbers.show(bar.value())));
      double goal = 240 + room * bar.goal() / most;
      svg.append(
          "<line x1='%s' y1='%s' x2='%s' y2='%s' stroke='#b91c1c' stroke-width='2'/>"
              .formatted(at(goal), at(y - 2), at(goal), at(y + 16)));
    }
    return svg.append("</svg>").toString();
  }

  private static StringBuilder open(int height) {
    return new StringBuilder(
        "<svg viewBox='0 0 %d %d' width='%d' role='img'>"
            .formatted(WIDTH + 60, height, WIDTH + 60));
  }

  private static String text(int x, double y, String anchor, String text) {
    return "<text x='%d' y='%s' text-anchor='%s'>%s</text>"
        .formatted(x, at(y), anchor, HtmlReport.escape(text));
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
