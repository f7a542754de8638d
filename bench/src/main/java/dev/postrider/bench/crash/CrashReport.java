package dev.postrider.bench.crash;

import java.util.List;

/** The results of all trials of a run, with their sums. */
public record CrashReport(
    String startedAt,
    long seed,
    double seconds,
    DeliveryCounts counts,
    FaultCounts faults,
    List<String> notCovered,
    List<TrialResult> trials) {
  /** What no trial shows; said with every result. */
  private static final List<String> NOT_COVERED =
      List.of(
          "changes of the clock of the PostgreSQL machine (trials change only the clocks of server machines)",
          "power cuts (SIGKILL leaves the page cache intact)");

  public static CrashReport of(
      String startedAt, long seed, double seconds, List<TrialResult> trials) {
    return new CrashReport(
        startedAt,
        seed,
        seconds,
        trials.stream().map(TrialResult::counts).reduce(DeliveryCounts.NONE, DeliveryCounts::plus),
        trials.stream().map(TrialResult::faults).reduce(FaultCounts.NONE, FaultCounts::plus),
        NOT_COVERED,
        List.copyOf(trials));
  }

  public boolean violated() {
    return trials.stream().anyMatch(trial -> !trial.violations().isEmpty());
  }

  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%-18s %8s %9s %9s %10s %8s %5s %6s %8s %8s %6s %8s%n"
            .formatted(
                "trial",
                "accepted",
                "delivered",
                "attempts",
                "duplicates",
                "rescued",
                "lost",
                "kills",
                "freezes",
                "outages",
                "jumps",
                "seconds"));
    for (TrialResult trial : trials) {
      if (!trial.skipped().isEmpty()) {
        text.append("%-18s skipped: %s%n".formatted(trial.trial(), trial.skipped()));
        continue;
      }
      text.append(line(trial.trial(), trial.counts(), trial.faults(), trial.seconds()));
    }
    text.append(line("all", counts, faults, seconds));
    notCovered.forEach(what -> text.append("not covered: ").append(what).append('\n'));
    for (TrialResult trial : trials) {
      for (String violation : trial.violations()) {
        text.append("VIOLATION in ")
            .append(trial.trial())
            .append(" (replay: --trial ")
            .append(trial.trial())
            .append(" --seed ")
            .append(trial.seed())
            .append("): ")
            .append(violation)
            .append('\n');
      }
    }
    text.append(
        violated()
            ? "FAILED, seed " + seed + "\n"
            : "all accepted messages arrived; seed " + seed + "\n");
    return text.toString();
  }

  private static String line(
      String name, DeliveryCounts counts, FaultCounts faults, double seconds) {
    return "%-18s %8d %9d %9d %10d %8d %5d %6d %8d %8d %6d %8.1f%n"
        .formatted(
            name,
            counts.accepted(),
            counts.delivered(),
            counts.attempts(),
            counts.duplicates(),
            counts.rescued(),
            counts.lost(),
            faults.kills(),
            faults.freezes(),
            faults.outages(),
            faults.clockJumps(),
            seconds);
  }
}
