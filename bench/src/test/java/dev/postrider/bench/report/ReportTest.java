package dev.postrider.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.bench.process.BenchJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ReportTest {
  private static BenchReport report() {
    Histogram histogram = Latency.newHistogram();
    for (int i = 1; i <= 1000; i++) {
      Latency.record(histogram, i * 1_000_000L);
    }
    Latency latency = Latency.of(Latency.decode(Latency.encode(histogram)));
    Window window =
        new Window(
            "256 <connections>",
            2,
            200,
            200,
            latency,
            latency,
            Map.of("server", 5.5),
            321,
            0,
            0,
            1,
            List.of(new Sample(1, 90, 80, 300), new Sample(2, 110, 120, 321)));
    ScenarioResult result =
        new ScenarioResult(
            "throughput",
            "postgres",
            "fan-out 1",
            List.of(
                Figure.against("end to end / raw client", 0.25, "ratio", Goal.atLeast(0.2)),
                Figure.against("server CPU", 70, "µs", Goal.atMost(65)),
                Figure.of("accepted", 12345.6, "messages/s")),
            List.of(window),
            List.of(
                new Curve(
                    "Rate by stored messages",
                    "messages",
                    "deliveries/s",
                    List.of(new Curve.Point(0, 9000), new Curve.Point(1_000_000, 8000)))),
            List.of("a note"),
            List.of());
    return new BenchReport(
        BenchReport.FORMAT,
        "2026-01-01T00:00:00Z",
        true,
        new BenchReport.Machine(2, 1000, "a CPU", "Linux", "25"),
        settings(),
        List.of(result));
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("command", "postrider bench --quick");
    settings.put("postgres fsync", "on");
    return settings;
  }

  @Test
  void latencySurvivesItsEncoding() {
    Latency latency = report().results().getFirst().windows().getFirst().accept();

    assertThat(latency.count()).isEqualTo(1000);
    assertThat(latency.p50()).isBetween(499.0, 502.0);
    assertThat(latency.p99()).isBetween(989.0, 992.0);
    assertThat(latency.max()).isBetween(999.0, 1002.0);
  }

  @Test
  void theTextShowsTargetsAsMetOrMissed() {
    String text = TextReport.render(report());

    assertThat(text).contains("QUICK", "postgres fsync = on", "12,346", "256 <connections>");
    assertThat(text).containsPattern("end to end / raw client +0\\.25 +ratio +≥ 0\\.20 +met");
    assertThat(text).containsPattern("server CPU +70\\.0 +µs +≤ 65\\.0 +missed");
    assertThat(text).contains("== targets: 1 met, 1 missed");
    assertThat(text.substring(text.indexOf("== targets")))
        .containsPattern("met +throughput on postgres +end to end / raw client +0\\.25 ratio")
        .containsPattern("missed +throughput on postgres +server CPU +70\\.0 µs +≤ 65\\.0")
        .doesNotContain("accepted");
    assertThat(report().missesGoals()).isTrue();
    assertThat(report().hasProblems()).isFalse();
  }

  @Test
  void thePageIsWholeAndLoadsNothing() {
    String html = HtmlReport.render(report());

    assertThat(html).contains("<svg", "polyline", "256 &lt;connections&gt;", "</html>");
    assertThat(html).doesNotContain("src=", "href=", "url(", "<script", "NaN", "Infinity");
  }

  @Test
  void thePageHasTargetsPlotsAndTheCommand() {
    String html = HtmlReport.render(report());

    assertThat(html)
        .contains(
            "Targets",
            "Delivered per second over time",
            "End-to-end latency, by percentile",
            "Rate by stored messages",
            "prefers-color-scheme: dark",
            "<code>postrider bench --quick</code>");
    assertThat(html).containsPattern("class='missed'>missed").containsPattern("class='met'>met");
  }

  @Test
  void axesAreLabelledShortly() {
    assertThat(List.of(Numbers.tick(0), Numbers.tick(0.25), Numbers.tick(2500)))
        .containsExactly("0", "0.25", "2,500");
    assertThat(List.of(Numbers.tick(25_000), Numbers.tick(1_500_000), Numbers.tick(99.99)))
        .containsExactly("25 k", "1.5 M", "99.99");
  }

  /** Others read this: a changed line here is a changed {@link BenchReport#FORMAT}. */
  @Test
  void theJsonKeepsItsShape() {
    List<String> paths = new ArrayList<>();
    collect(BenchJson.parse(BenchJson.pretty(report()), JsonNode.class), "", paths);

    assertThat(paths)
        .containsExactly(
            "format",
            "startedAt",
            "quick",
            "machine.cores",
            "machine.memoryMb",
            "machine.cpu",
            "machine.os",
            "machine.java",
            "settings.command",
            "settings.postgres fsync",
            "results[].scenario",
            "results[].database",
            "results[].title",
            "results[].figures[].name",
            "results[].figures[].value",
            "results[].figures[].unit",
            "results[].figures[].goal.atLeast",
            "results[].figures[].goal.bound",
            "results[].figures[].met",
            "results[].windows[].label",
            "results[].windows[].seconds",
            "results[].windows[].accepted",
            "results[].windows[].delivered",
            "results[].windows[].acceptedPerSecond",
            "results[].windows[].deliveredPerSecond",
            "results[].windows[].accept.count",
            "results[].windows[].accept.p50",
            "results[].windows[].accept.p95",
            "results[].windows[].accept.p99",
            "results[].windows[].accept.max",
            "results[].windows[].accept.curve[].percentile",
            "results[].windows[].accept.curve[].ms",
            "results[].windows[].endToEnd.count",
            "results[].windows[].endToEnd.p50",
            "results[].windows[].endToEnd.p95",
            "results[].windows[].endToEnd.p99",
            "results[].windows[].endToEnd.max",
            "results[].windows[].endToEnd.curve[].percentile",
            "results[].windows[].endToEnd.curve[].ms",
            "results[].windows[].cpuPer100k.server",
            "results[].windows[].serverMb",
            "results[].windows[].refused",
            "results[].windows[].errors",
            "results[].windows[].checkpoints",
            "results[].windows[].samples[].second",
            "results[].windows[].samples[].acceptedPerSecond",
            "results[].windows[].samples[].deliveredPerSecond",
            "results[].windows[].samples[].serverMb",
            "results[].curves[].title",
            "results[].curves[].xUnit",
            "results[].curves[].yUnit",
            "results[].curves[].points[].x",
            "results[].curves[].points[].y",
            "results[].notes[]");
  }

  private static void collect(JsonNode node, String path, List<String> paths) {
    if (node.isObject()) {
      node.properties()
          .forEach(
              e ->
                  collect(
                      e.getValue(), path.isEmpty() ? e.getKey() : path + "." + e.getKey(), paths));
    } else if (node.isArray()) {
      if (!node.isEmpty()) {
        collect(node.get(0), path + "[]", paths);
      }
    } else {
      paths.add(path);
    }
  }
}
