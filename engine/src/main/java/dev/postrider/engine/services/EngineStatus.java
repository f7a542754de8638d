package dev.postrider.engine.services;

import dev.postrider.id.Id;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of this instance, for health checks and metrics. */
public interface EngineStatus {
  Id instance();

  /** True while the engine accepts new work and its database is available. */
  boolean isHealthy();

  /** Whether the database is available, as of the last heartbeat and the last batch. */
  boolean databaseAnswers();

  /** Why messages are rejected although the database is available; null if they are not. */
  @Nullable String refusing();

  /** Messages in the accept queue. */
  int acceptsWaiting();

  /** Attempt results that wait to be recorded. */
  int finishesWaiting();

  /**
   * How long the delivery has waited that this instance should have claimed first: its lane could
   * send. 0 if there is none, or if the instance does not deliver.
   */
  Duration claimLag();

  /** Delivery attempts in progress. */
  int attemptsInFlight();

  /** Deliveries that this instance holds leases of. */
  int deliveriesLeased();

  /** Lanes with pending deliveries that this instance knows of. */
  int lanesWaiting();

  /**
   * Lanes whose deliveries are due since then or earlier, as far as this instance knows.
   *
   * @param limit the maximum number
   */
  List<Id> lanesWaitingSince(Instant due, int limit);

  /** How many instances deliver, including this one. */
  int deliveringInstances();

  /** How many instances accept messages and serve the API, including this one. */
  int acceptingInstances();
}
