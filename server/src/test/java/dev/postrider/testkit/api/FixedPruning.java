package dev.postrider.testkit.api;

import dev.postrider.engine.services.Pruning;

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
    return new State(asked ? 2_000L : null, asked, 1_000, 1_500L, 3, new Removed(1, 2, 3, 4, 5, 6));
  }

  @Override
  public void also(Aging rows) {}
}
