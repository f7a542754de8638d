package dev.postrider.engine.wiring;

import dev.postrider.engine.services.Pruning;
import dev.postrider.maintenance.PruneRuns;
import dev.postrider.maintenance.Pruner;
import java.time.Instant;

/** Requests a prune run in the database; one of the instances that deliver executes it. */
record PruneRequests(PruneRuns runs, Pruner pruner) implements Pruning {
  @Override
  public State ask() {
    State asked = shown(runs.ask());
    pruner.wake();
    return asked;
  }

  @Override
  public State state() {
    return shown(runs.read());
  }

  @Override
  public void also(Aging rows) {
    pruner.also((nowMs, limit) -> rows.prune(Instant.ofEpochMilli(nowMs), limit));
  }

  private static State shown(PruneRuns.Run run) {
    Pruner.Counts counts = run.counts();
    Long ended = run.endedAtMs();
    return new State(
        run.askedAtMs() == 0 ? null : Instant.ofEpochMilli(run.askedAtMs()),
        run.isAsked(),
        Instant.ofEpochMilli(run.beganAtMs()),
        ended == null ? null : Instant.ofEpochMilli(ended),
        run.applications(),
        new Removed(
            counts.messages(),
            counts.deliveries(),
            counts.attempts(),
            counts.payloads(),
            counts.idempotencyKeys(),
            counts.secrets()));
  }
}
