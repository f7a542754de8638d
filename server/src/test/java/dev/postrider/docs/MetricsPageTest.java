package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The metrics of the wire snapshot are documented: each in the reference and in the guide. */
class MetricsPageTest {
  private static final Pattern SNAPSHOT_LINE = Pattern.compile("metric (\\w+) (\\w+) .*");
  private static final Pattern METRIC = Pattern.compile("postrider_\\w+");
  private static final Pattern TABLE_ROW =
      Pattern.compile("\\| `(postrider_\\w+)` \\| (\\w+) \\|.*");

  /** Metrics that exist only with certain settings or events, so the snapshot has none of them. */
  private static final Set<String> CONDITIONAL =
      Set.of(
          "postrider_configuration_poll_age_seconds gauge",
          "postrider_queue_timeouts_total counter");

  @Test
  void theReferenceListsEveryMetricAndNoOther() throws Exception {
    Set<String> listed = new TreeSet<>();
    for (MarkdownPage.Line line : page("docs/reference/metrics.md").lines()) {
      Matcher row = TABLE_ROW.matcher(line.text());
      if (row.matches()) {
        listed.add(row.group(1) + " " + row.group(2));
      }
    }
    assertThat(listed)
        .as("metrics in the table of docs/reference/metrics.md")
        .isEqualTo(new TreeSet<>(snapshot()));
  }

  @Test
  void theGuideMentionsEveryMetric() throws Exception {
    Set<String> mentioned = new TreeSet<>();
    for (MarkdownPage.Line line : page("docs/guides/monitoring.md").lines()) {
      Matcher metric = METRIC.matcher(line.text());
      while (metric.find()) {
        mentioned.add(base(metric.group()));
      }
    }
    assertThat(mentioned)
        .as("metrics in docs/guides/monitoring.md: each needs an alert rule, a query or advice")
        .isEqualTo(
            snapshot().stream()
                .map(metric -> base(metric.substring(0, metric.indexOf(' '))))
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Names with their types; a histogram once, as the reference lists it. */
  private static List<String> snapshot() throws Exception {
    List<String> metrics = new ArrayList<>();
    Path file = MarkdownPage.root().resolve("server/src/test/resources/wire-snapshot.txt");
    for (String line : Files.readAllLines(file)) {
      Matcher metric = SNAPSHOT_LINE.matcher(line);
      if (metric.matches()) {
        String name = metric.group(2).equals("histogram") ? base(metric.group(1)) : metric.group(1);
        metrics.add(name + " " + metric.group(2));
      }
    }
    assertThat(metrics).hasSizeGreaterThan(20);
    metrics.addAll(CONDITIONAL);
    return metrics;
  }

  /** The name of the metric that a series of a histogram, or its maximum, belongs to. */
  private static String base(String series) {
    return series.replaceAll("_(bucket|count|sum|max)$", "");
  }

  private static MarkdownPage page(String name) {
    return MarkdownPage.read(MarkdownPage.root().resolve(name));
  }
}
