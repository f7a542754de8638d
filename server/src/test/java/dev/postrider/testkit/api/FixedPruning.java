package dev.postrider.testkit.api;

import dev.postrider.engine.services.Pruning;
import java.time.Instant;

/** A run that was asked for at second 2 and nobody has begun. */
final class FixedPruning implements Pruning {
  private volatile boolean asked;

  @Override
  public State ask() {
    asked = true;
    return state();
  }

  @Override
  public State state() {
    return new State(
        asked ? Instant.ofEpochMilli(2_000) : null,
        asked,
        Instant.ofEpochMilli(1_000),
        Instant.ofEpochMilli(1_500),
        3,
        new Removed(1, 2, 3, 4, 5, 6));
  }

  @Override
  public void also(Aging rows) {}
}
