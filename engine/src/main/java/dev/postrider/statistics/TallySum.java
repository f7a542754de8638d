package dev.postrider.statistics;

import dev.postrider.delivery.Tally;
import java.util.Arrays;
import java.util.List;

/** A tally being summed up; not thread-safe. */
final class TallySum {
  long accepted;
  long delivered;
  long failed;
  long deadLetter;
  long canceled;
  long latencyMs;
  final long[] buckets = new long[Tally.BOUNDS_MS.size() + 1];

  /** The sum of both. */
  static Tally of(Tally one, Tally other) {
    TallySum sum = new TallySum();
    sum.add(one);
    sum.add(other);
    return sum.tally();
  }

  void addAttempt(int latency) {
    latencyMs += latency;
    int bucket = 0;
    while (bucket < Tally.BOUNDS_MS.size() && latency > Tally.BOUNDS_MS.get(bucket)) {
      bucket++;
    }
    buckets[bucket]++;
  }

  void add(Tally tally) {
    accepted += tally.accepted();
    delivered += tally.delivered();
    failed += tally.failed();
    deadLetter += tally.deadLetter();
    canceled += tally.canceled();
    latencyMs += tally.latencyMs();
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] += tally.buckets().get(i);
    }
  }

  Tally tally() {
    List<Long> counted = Arrays.stream(buckets).boxed().toList();
    return new Tally(accepted, delivered, failed, deadLetter, canceled, latencyMs, counted);
  }
}
