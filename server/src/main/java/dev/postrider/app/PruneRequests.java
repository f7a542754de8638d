package dev.postrider.app;

import dev.postrider.api.ops.Pruning;
import dev.postrider.maintenance.PruneRuns;
import dev.postrider.maintenance.Pruner;

/** Requests a prune run in the database; one of the instances that deliver executes it. */
record PruneRequests(PruneRuns runs, Runnable wake) implements Pruning {
  @Override
  public State ask() {
    State asked = shown(runs.ask());
    wake.run();
    return asked;
  }

  @Override
  public State state() {
    return shown(runs.read());
  }

  private static State shown(PruneRuns.Run run) {
    Pruner.Counts counts = run.counts();
    return new State(
        run.askedAtMs() == 0 ? null : run.askedAtMs(),
        run.isAsked(),
        run.beganAtMs(),
        run.endedAtMs(),
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
