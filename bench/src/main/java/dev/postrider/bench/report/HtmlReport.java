package dev.postrider.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The report as one page: tables and inline plots, nothing loaded from anywhere. */
public final class HtmlReport {
  private static final String STYLE =
      """
      body { font: 14px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #1f2937; }
      table { border-collapse: collapse; margin: 0.5em 0 1em; }
      th, td { text-align: left; padding: 2px 12px 2px 0; border-bottom: 1px solid #e5e7eb; }
      td.number { text-align: right; font-variant-numeric: tabular-nums; }
      .met { color: #047857; } .missed, .problem { color: #b91c1c; font-weight: 600; }
      .quick { background: #fef3c7; padding: 4px 8px; }
      svg text { font: 11px system-ui, sans-serif; fill: #4b5563; } svg .grid { stroke: #e5e7eb; }
      figure { display: inline-block; margin: 0 1em 1em 0; } figcaption { font-weight: 600; }
      """;

  private HtmlReport() {}

  public static String render(BenchReport report) {
    StringBuilder out = new StringBuilder();
    out.append("<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>")
        .append("<title>Postrider benchmark</title><style>")
        .append(STYLE)
        .append("</style></head><body><h1>Postrider benchmark</h1>");
    if (report.quick()) {
      out.append("<p class='quick'>Quick run: short warm-up and windows, not for comparison.</p>");
    }
    out.append(head(report));
    out.append(ratios(report));
    for (ScenarioResult result : report.results()) {
      append(out, result);
    }
    return out.append("</body></html>\n").toString();
  }

  private static String head(BenchReport report) {
    BenchReport.Machine machine = report.machine();
    StringBuilder out = new StringBuilder("<table>");
    row(out, "started", report.startedAt());
    row(
        out,
        "machine",
        machine.cores()
            + " cores ("
            + machine.cpu()
            + "), "
            + machine.memoryMb()
            + " MB, "
            + machine.os()
            + ", Java "
            + machine.java());
    report.settings().forEach((name, value) -> row(out, name, value));
    return out.append("</table>").toString();
  }

  private static void row(StringBuilder out, String name, String value) {
    out.append("<tr><th>")
        .append(escape(name))
        .append("</th><td>")
        .append(escape(value))
        .append("</td></tr>");
  }

  private static String ratios(BenchReport report) {
    List<Plot.Bar> bars = new ArrayList<>();
    for (ScenarioResult result : report.results()) {
      for (Figure figure : result.figures()) {
        Goal goal = figure.goal();
        if (goal != null && figure.unit().equals("ratio")) {
          bars.add(
              new Plot.Bar(
                  result.scenario() + ", " + result.database() + ": " + figure.name(),
                  figure.value(),
                  goal.bound()));
        }
      }
    }
    return bars.isEmpty() ? "" : figure("Ratios; the red line is the target", Plot.bars(bars));
  }

  private static void append(StringBuilder out, ScenarioResult result) {
    out.append(
        "<h2>%s on %s</h2><p>%s</p>"
            .formatted(
                escape(result.scenario()), escape(result.database()), escape(result.title())));
    out.append(
        "<table><tr><th>figure</th><th>value</th><th>unit</th><th>target</th><th></th></tr>");
    for (Figure figure : result.figures()) {
      String verdict = Numbers.verdict(figure);
      out.append(
          "<tr><td>%s</td><td class='number'>%s</td><td>%s</td><td>%s</td><td class='%s'>%s</td></tr>"
              .formatted(
                  escape(figure.name()),
                  Numbers.show(figure.value()),
                  escape(figure.unit()),
                  escape(Numbers.goal(figure)),
                  verdict,
                  verdict));
    }
    out.append("</table>");
    result.notes().forEach(note -> out.append("<p>").append(escape(note)).append("</p>"));
    result
        .problems()
        .forEach(
            problem -> out.append("<p class='problem'>").append(escape(problem)).append("</p>"));
    if (!result.windows().isEmpty()) {
      out.append(windows(result.windows()));
    }
  }

  private static String windows(List<Window> windows) {
    return figure(
            "Delivered per second over time",
            Plot.lines(lines(windows, HtmlReport::delivered), "s", "deliveries/s"))
        + figure(
            "End-to-end latency",
            Plot.distribution(lines(windows, window -> curve(window.endToEnd())), "ms"))
        + figure(
            "Accept latency",
            Plot.distribution(lines(windows, window -> curve(window.accept())), "ms"));
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

  private static List<double[]> curve(Latency latency) {
    return latency.curve().stream().map(p -> new double[] {p.percentile(), p.ms()}).toList();
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
