package dev.postrider.bench.report;

import java.util.List;
import java.util.Map;

/**
 * The report of a whole run. {@code --json} prints this record as JSON; {@code format} is
 * incremented when a field changes its meaning or is removed.
 */
public record BenchReport(
    int format,
    String startedAt,
    boolean quick,
    Machine machine,
    Map<String, String> settings,
    List<ScenarioResult> results) {
  public static final int FORMAT = 1;

  /** Where it ran: figures mean nothing without it. */
  public record Machine(int cores, long memoryMb, String cpu, String os, String java) {}

  public boolean hasProblems() {
    return results.stream().anyMatch(result -> !result.problems().isEmpty());
  }

  public boolean missesGoals() {
    return results.stream().flatMap(result -> result.figures().stream()).anyMatch(Figure::missed);
  }
}
