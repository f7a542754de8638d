package dev.postrider.bench.crash;

import java.util.List;
import java.util.function.ToLongFunction;

/** The results of all trials of a run, with their sums. */
public record CrashReport(
    String startedAt,
    long seed,
    double seconds,
    long accepted,
    long deliveries,
    long delivered,
    long attempts,
    long duplicates,
    long rescued,
    long lost,
    long kills,
    long freezes,
    long outages,
    long clockJumps,
    List<String> notCovered,
    List<TrialResult> trials) {
  /** What no trial shows; said with every result. */
  private static final List<String> NOT_COVERED =
      List.of(
          "changes of the clock of the PostgreSQL machine (trials change only the clocks of server machines)",
          "power cuts (SIGKILL leaves the page cache intact)");

  static CrashReport of(String startedAt, long seed, double seconds, List<TrialResult> trials) {
    return new CrashReport(
        startedAt,
        seed,
        seconds,
        sum(trials, TrialResult::accepted),
        sum(trials, TrialResult::deliveries),
        sum(trials, TrialResult::delivered),
        sum(trials, TrialResult::attempts),
        sum(trials, TrialResult::duplicates),
        sum(trials, TrialResult::rescued),
        sum(trials, TrialResult::lost),
        sum(trials, TrialResult::kills),
        sum(trials, TrialResult::freezes),
        sum(trials, TrialResult::outages),
        sum(trials, TrialResult::clockJumps),
        NOT_COVERED,
        List.copyOf(trials));
  }

  private static long sum(List<TrialResult> trials, ToLongFunction<TrialResult> figure) {
    return trials.stream().mapToLong(figure).sum();
  }

  public boolean violated() {
    return trials.stream().anyMatch(trial -> !trial.violations().isEmpty());
  }

  String text() {
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
      text.append(
          "%-18s %8d %9d %9d %10d %8d %5d %6d %8d %8d %6d %8.1f%n"
              .formatted(
                  trial.trial(),
                  trial.accepted(),
                  trial.delivered(),
                  trial.attempts(),
                  trial.duplicates(),
                  trial.rescued(),
                  trial.lost(),
                  trial.kills(),
                  trial.freezes(),
                  trial.outages(),
                  trial.clockJumps(),
                  trial.seconds()));
    }
    text.append(
        "%-18s %8d %9d %9d %10d %8d %5d %6d %8d %8d %6d %8.1f%n"
            .formatted(
                "all",
                accepted,
                delivered,
                attempts,
                duplicates,
                rescued,
                lost,
                kills,
                freezes,
                outages,
                clockJumps,
                seconds));
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
}
