package dev.postrider.engine.services;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/** How the engine is doing at this moment. */
public interface EngineStatus {
  Id instance();

  /** True while the engine takes new work and its database answers. */
  boolean isHealthy();

  /** Whether the database answers, as of the last heartbeat and the last batch. */
  boolean databaseAnswers();

  /** Why work is refused although the database answers; null if it is not. */
  @Nullable String refusing();

  /** Messages that wait for their commit. */
  int acceptsWaiting();

  /** Outcomes that wait to be recorded. */
  int finishesWaiting();

  /** How many instances deliver, including this one. */
  int deliveringInstances();
}
