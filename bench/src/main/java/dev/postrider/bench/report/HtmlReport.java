package dev.postrider.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Writes the report as one HTML page with tables and inline charts; it loads no other resources.
 */
public final class HtmlReport {
  private static final String COMMAND = "command";

  private HtmlReport() {}

  public static String render(BenchReport report) {
    StringBuilder out = new StringBuilder();
    out.append("<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>")
        .append("<meta name='viewport' content='width=device-width'>")
        .append("<title>Postrider benchmark</title><style>")
        .append(PageStyle.CSS)
        .append("</style></head><body><h1>Postrider benchmark</h1>");
    head(out, report);
    targets(out, report);
    for (ScenarioResult result : report.results()) {
      append(out, result);
    }
    settings(out, report);
    return out.append("</body></html>\n").toString();
  }

  private static void head(StringBuilder out, BenchReport report) {
    BenchReport.Machine machine = report.machine();
    out.append("<p class='soft'>").append(escape(report.startedAt())).append("</p>");
    if (report.quick()) {
      out.append(
          "<p class='quick'>Quick run: short warm-up and windows. Do not compare these results.</p>");
    }
    out.append(
        "<p>%d cores (%s), %,d MB, %s, Java %s</p>"
            .formatted(
                machine.cores(),
                escape(machine.cpu()),
                machine.memoryMb(),
                escape(machine.os()),
                escape(machine.java())));
    String command = report.settings().get(COMMAND);
    if (command != null) {
      out.append("<p><code>").append(escape(command)).append("</code></p>");
    }
  }

  /** Everything that has a target, at one glance. */
  private static void targets(StringBuilder out, BenchReport report) {
    StringBuilder rows = new StringBuilder();
    List<Plot.Bar> bars = new ArrayList<>();
    for (ScenarioResult result : report.results()) {
      String name = result.scenario() + " on " + result.database();
      for (Figure figure : result.figures()) {
        Goal goal = figure.goal();
        if (goal == null) {
          continue;
        }
        rows.append(row(List.of(name, figure.name()), figure));
        if (figure.unit().equals("ratio")) {
          bars.add(new Plot.Bar(name + ": " + figure.name(), figure.value(), goal));
        }
      }
    }
    if (rows.isEmpty()) {
      return;
    }
    out.append("<h2>Targets</h2><div class='wide'><table><tr><th>scenario</th><th>figure</th>")
        .append(FIGURE_HEAD)
        .append("</tr>")
        .append(rows)
        .append("</table></div>");
    if (!bars.isEmpty()) {
      out.append("<div class='bars'>")
          .append(figure("Ratios (the mark on each bar is the target)", Plot.bars(bars)))
          .append("</div>");
    }
  }

  private static final String FIGURE_HEAD =
      "<th class='number'>value</th><th>unit</th><th class='number'>target</th><th></th>";

  private static String row(List<String> names, Figure figure) {
    StringBuilder out = new StringBuilder("<tr>");
    names.forEach(name -> out.append("<td>").append(escape(name)).append("</td>"));
    String verdict = Numbers.verdict(figure);
    return out.append(
            "<td class='number'>%s</td><td>%s</td><td class='number'>%s</td><td class='%s'>%s</td></tr>"
                .formatted(
                    Numbers.show(figure.value()),
                    escape(figure.unit()),
                    escape(Numbers.goal(figure)),
                    verdict,
                    verdict))
        .toString();
  }

  private static void append(StringBuilder out, ScenarioResult result) {
    out.append(
        "<h2>%s on %s</h2><p class='soft'>%s</p>"
            .formatted(
                escape(result.scenario()), escape(result.database()), escape(result.title())));
    result
        .problems()
        .forEach(
            problem -> out.append("<p class='problem'>").append(escape(problem)).append("</p>"));
    if (!result.figures().isEmpty()) {
      out.append("<div class='wide'><table><tr><th>figure</th>")
          .append(FIGURE_HEAD)
          .append("</tr>");
      result.figures().forEach(figure -> out.append(row(List.of(figure.name()), figure)));
      out.append("</table></div>");
    }
    result
        .notes()
        .forEach(note -> out.append("<p class='soft'>").append(escape(note)).append("</p>"));
    if (!result.windows().isEmpty()) {
      out.append(table(result.windows()));
    }
    out.append("<div class='plots'>");
    result.curves().forEach(curve -> out.append(drawn(curve)));
    if (!result.windows().isEmpty()) {
      out.append(plots(result.windows()));
    }
    out.append("</div>");
  }

  private static String table(List<Window> windows) {
    StringBuilder out =
        new StringBuilder(
            "<div class='wide'><table><tr><th>window</th><th class='number'>accepted/s</th><th class='number'>delivered/s</th>"
                + "<th class='number'>accept p50 / p99 ms</th><th class='number'>end to end p50 / p95 / p99 ms</th>"
                + "<th>CPU-seconds per 100,000</th><th class='number'>server MB</th><th class='number'>refused</th><th class='number'>errors</th></tr>");
    for (Window window : windows) {
      Latency accept = window.accept();
      Latency whole = window.endToEnd();
      out.append("<tr><td>").append(escape(window.label())).append("</td>");
      for (String cell :
          List.of(
              Numbers.show(window.acceptedPerSecond()),
              Numbers.show(window.deliveredPerSecond()),
              accept.count() == 0 ? "" : of(accept.p50(), accept.p99()),
              whole.count() == 0 ? "" : of(whole.p50(), whole.p95(), whole.p99()))) {
        out.append("<td class='number'>").append(cell).append("</td>");
      }
      out.append("<td>").append(escape(cpu(window.cpuPer100k()))).append("</td>");
      for (String cell :
          List.of(
              Numbers.show(window.serverMb()),
              Long.toString(window.refused()),
              Long.toString(window.errors()))) {
        out.append("<td class='number'>").append(cell).append("</td>");
      }
      out.append("</tr>");
    }
    return out.append("</table></div>").toString();
  }

  private static String of(double... values) {
    List<String> parts = new ArrayList<>();
    for (double value : values) {
      parts.add(Numbers.show(value));
    }
    return String.join(" / ", parts);
  }

  private static String cpu(Map<String, Double> cpu) {
    List<String> parts = new ArrayList<>();
    cpu.forEach((name, seconds) -> parts.add(name + " " + Numbers.show(seconds)));
    return String.join(", ", parts);
  }

  private static String drawn(Curve curve) {
    List<double[]> points =
        curve.points().stream().map(point -> new double[] {point.x(), point.y()}).toList();
    return figure(
        curve.title(),
        Plot.lines(List.of(new Plot.Line(curve.yUnit(), points)), curve.xUnit(), curve.yUnit()));
  }

  private static String plots(List<Window> windows) {
    StringBuilder out =
        new StringBuilder(
            figure(
                "Delivered per second over time",
                Plot.lines(lines(windows, HtmlReport::delivered), "s", "deliveries/s")));
    List<Window> arrived = windows.stream().filter(w -> w.endToEnd().count() > 0).toList();
    if (!arrived.isEmpty()) {
      out.append(
          figure(
              "End-to-end latency, by percentile",
              Plot.distribution(lines(arrived, window -> curve(window.endToEnd())), "ms")));
    }
    List<Window> accepted = windows.stream().filter(w -> w.accept().count() > 0).toList();
    if (!accepted.isEmpty()) {
      out.append(
          figure(
              "Accept latency, by percentile",
              Plot.distribution(lines(accepted, window -> curve(window.accept())), "ms")));
      out.append(
          figure(
              "Server memory over time",
              Plot.lines(lines(accepted, HtmlReport::memory), "s", "MB")));
    }
    return out.toString();
  }

  private static List<Plot.Line> lines(
      List<Window> windows, Function<Window, List<double[]>> points) {
    return windows.stream().map(w -> new Plot.Line(w.label(), points.apply(w))).toList();
  }

  private static List<double[]> delivered(Window window) {
    return window.samples().stream()
        .map(s -> new double[] {s.second(), s.deliveredPerSecond()})
        .toList();
  }

  private static List<double[]> memory(Window window) {
    return window.samples().stream().map(s -> new double[] {s.second(), s.serverMb()}).toList();
  }

  private static List<double[]> curve(Latency latency) {
    return latency.curve().stream().map(p -> new double[] {p.percentile(), p.ms()}).toList();
  }

  private static void settings(StringBuilder out, BenchReport report) {
    out.append("<h2>Settings</h2><table>");
    report
        .settings()
        .forEach(
            (name, value) ->
                out.append("<tr><th>")
                    .append(escape(name))
                    .append("</th><td>")
                    .append(escape(value))
                    .append("</td></tr>"));
    out.append("</table>");
  }

  private static String figure(String caption, String svg) {
    return "<figure><figcaption>" + escape(caption) + "</figcaption>" + svg + "</figure>";
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
