package dev.postrider.task;

import java.util.Arrays;

/**
 * What a task does.
 *
 * <p>Callers see the names that Svix has, for its clients know no others: a redrive of dead letters
 * is shown as the recovery that it is a part of.
 */
public enum TaskKind {
  RECOVER("endpoint.recover", "endpoint.recover"),
  REDRIVE("endpoint.redrive", "endpoint.recover"),
  REPLAY_MISSING("endpoint.replay", "endpoint.replay"),
  BULK_REPLAY("endpoint.bulk-replay", "endpoint.bulk-replay"),
  EXPUNGE_ALL("application.purge_content", "application.purge_content"),
  USAGE("application.stats", "application.stats"),
  AGGREGATE_EVENT_TYPES("event-type.aggregate", "event-type.aggregate"),
  BROADCAST("message.broadcast", "message.broadcast"),
  EXPORT_EVENT_TYPES("sdk.generate", "sdk.generate");

  private final String stored;
  private final String shown;

  TaskKind(String stored, String shown) {
    this.stored = stored;
    this.shown = shown;
  }

  public String stored() {
    return stored;
  }

  public String shown() {
    return shown;
  }

  static TaskKind of(String stored) {
    return Arrays.stream(values())
        .filter(kind -> kind.stored.equals(stored))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no such kind of task: " + stored));
  }
}
