package dev.postrider.bench.crash;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Records when which process was killed, was frozen or had no database. Only such a fault may cause
 * a duplicate (engine rule 12).
 */
final class Disruptions {
  /** Every process. */
  static final String ALL = "*";

  /** Between an answer and its commit lie one batch and, on a busy machine, a few of its turns. */
  private static final long COMMIT_NANOS = 5_000_000_000L;

  enum Kind {
    KILL,
    FREEZE,
    OUTAGE,
    /** The machine itself stood still. */
    STALL
  }

  record Disruption(Kind kind, String process, long fromNanos, long toNanos) {}

  private final List<Disruption> all = new CopyOnWriteArrayList<>();

  void add(Kind kind, String process, long fromNanos, long toNanos) {
    all.add(new Disruption(kind, process, fromNanos, toNanos));
  }

  long count(Kind kind) {
    return all.stream().filter(d -> d.kind() == kind).count();
  }

  /** Whether the sender of this request may have been unable to record its outcome. */
  boolean excuse(ReceivedRequest request) {
    return all.stream()
        .anyMatch(
            d ->
                (d.process().equals(ALL) || d.process().equals(request.process()))
                    && d.fromNanos() - request.answeredNanos() < COMMIT_NANOS
                    && request.receivedNanos() - d.toNanos() < COMMIT_NANOS);
  }
}
