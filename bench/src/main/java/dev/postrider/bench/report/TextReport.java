package dev.postrider.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes the report for a terminal. */
public final class TextReport {
  private static final int COLUMN_GAP = 2;

  private TextReport() {}

  public static String render(BenchReport report) {
    StringBuilder out = new StringBuilder();
    BenchReport.Machine machine = report.machine();
    out.append("postrider bench, ").append(report.startedAt());
    if (report.quick()) {
      out.append("  ** QUICK RUN: short warm-up and windows, do not compare these results **");
    }
    out.append('\n')
        .append(
            "%d cores (%s), %,d MB, %s, Java %s%n"
                .formatted(
                    machine.cores(),
                    machine.cpu(),
                    machine.memoryMb(),
                    machine.os(),
                    machine.java()));
    report.settings().forEach((name, value) -> out.append(name + " = " + value + "\n"));
    for (ScenarioResult result : report.results()) {
      append(out, result);
    }
    targets(out, report);
    return out.toString();
  }

  /** All targets of the run once more, so that nobody has to search for what was missed. */
  private static void targets(StringBuilder out, BenchReport report) {
    List<List<String>> rows = new ArrayList<>();
    int met = 0;
    for (ScenarioResult result : report.results()) {
      for (Figure figure : result.figures()) {
        if (figure.goal() == null) {
          continue;
        }
        met += figure.missed() ? 0 : 1;
        rows.add(
            List.of(
                Numbers.verdict(figure),
                result.scenario() + " on " + result.database(),
                figure.name(),
                Numbers.show(figure.value()) + " " + figure.unit(),
                Numbers.goal(figure)));
      }
    }
    if (!rows.isEmpty()) {
      out.append("\n== targets: %d met, %d missed%n".formatted(met, rows.size() - met));
      out.append(table(rows));
    }
  }

  private static void append(StringBuilder out, ScenarioResult result) {
    out.append("\n== ")
        .append(result.scenario())
        .append(" on ")
        .append(result.database())
        .append(": ")
        .append(result.title())
        .append('\n');
    if (!result.windows().isEmpty()) {
      out.append(table(windows(result.windows()))).append('\n');
    }
    if (!result.figures().isEmpty()) {
      out.append(table(figures(result.figures())));
    }
    result.notes().forEach(note -> out.append("note: ").append(note).append('\n'));
    result.problems().forEach(problem -> out.append("PROBLEM: ").append(problem).append('\n'));
  }

  private static List<List<String>> windows(List<Window> windows) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "window",
            "accept/s",
            "deliver/s",
            "accept p50/p99 ms",
            "end to end p50/p95/p99 ms",
            "CPU-s per 100k",
            "server MB",
            "refused",
            "errors"));
    for (Window window : windows) {
      rows.add(
          List.of(
              window.label(),
              Numbers.show(window.acceptedPerSecond()),
              Numbers.show(window.deliveredPerSecond()),
              Numbers.show(window.accept().p50()) + " / " + Numbers.show(window.accept().p99()),
              Numbers.show(window.endToEnd().p50())
                  + " / "
                  + Numbers.show(window.endToEnd().p95())
                  + " / "
                  + Numbers.show(window.endToEnd().p99()),
              cpu(window.cpuPer100k()),
              Numbers.show(window.serverMb()),
              Long.toString(window.refused()),
              Long.toString(window.errors())));
    }
    return rows;
  }

  private static String cpu(Map<String, Double> cpu) {
    List<String> parts = new ArrayList<>();
    cpu.forEach((name, seconds) -> parts.add(name + " " + Numbers.show(seconds)));
    return String.join(", ", parts);
  }

  private static List<List<String>> figures(List<Figure> figures) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("figure", "value", "unit", "target", ""));
    for (Figure figure : figures) {
      rows.add(
          List.of(
              figure.name(),
              Numbers.show(figure.value()),
              figure.unit(),
              Numbers.goal(figure),
              Numbers.verdict(figure)));
    }
    return rows;
  }

  static String table(List<List<String>> rows) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder out = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + COLUMN_GAP));
      }
      out.append(line.toString().stripTrailing()).append('\n');
    }
    return out.toString();
  }
}
