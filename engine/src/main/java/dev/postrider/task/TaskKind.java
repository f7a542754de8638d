package dev.postrider.task;

import dev.postrider.audit.AuditAction;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of tasks.
 *
 * <p>Callers see the names of Svix, because its clients know no others: a redrive of dead letters
 * is shown as a recovery, a replay of an application as one of an endpoint.
 */
public enum TaskKind {
  RECOVER("endpoint.recover", "endpoint.recover"),
  REDRIVE("endpoint.redrive", "endpoint.recover"),
  APPLICATION_REDRIVE("application.redrive", "endpoint.recover"),
  APPLICATION_REPLAY("application.replay", "endpoint.bulk-replay"),
  REPLAY_MISSING("endpoint.replay", "endpoint.replay"),
  BULK_REPLAY("endpoint.bulk-replay", "endpoint.bulk-replay"),
  EXPUNGE_ALL("application.purge_content", "application.purge_content"),
  USAGE("application.stats", "application.stats"),
  AGGREGATE_EVENT_TYPES("event-type.aggregate", "event-type.aggregate"),
  BROADCAST("message.broadcast", "message.broadcast"),
  EXPORT_EVENT_TYPES("sdk.generate", "sdk.generate"),
  RESEAL("application.reseal", null);

  private final String stored;
  private final @Nullable String shown;

  TaskKind(String stored, @Nullable String shown) {
    this.stored = stored;
    this.shown = shown;
  }

  public String stored() {
    return stored;
  }

  /** The name for callers. */
  public String shown() {
    if (shown == null) {
      throw new IllegalStateException(stored + " is not shown");
    }
    return shown;
  }

  /** Whether callers do not see it: no call has started it. */
  public boolean hidden() {
    return shown == null;
  }

  /** Its audit action; null if it is not audited. */
  @Nullable AuditAction deed() {
    return switch (this) {
      case RECOVER -> AuditAction.ENDPOINT_RECOVER;
      case REDRIVE -> AuditAction.ENDPOINT_REDRIVE;
      case APPLICATION_REDRIVE -> AuditAction.APPLICATION_REDRIVE;
      case APPLICATION_REPLAY -> AuditAction.APPLICATION_REPLAY;
      case REPLAY_MISSING -> AuditAction.ENDPOINT_REPLAY_MISSING;
      case BULK_REPLAY -> AuditAction.ENDPOINT_BULK_REPLAY;
      case EXPUNGE_ALL -> AuditAction.MESSAGE_EXPUNGE_ALL;
      case USAGE, AGGREGATE_EVENT_TYPES, BROADCAST, EXPORT_EVENT_TYPES, RESEAL -> null;
    };
  }

  static TaskKind of(String stored) {
    return Arrays.stream(values())
        .filter(kind -> kind.stored.equals(stored))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("unknown kind of task: " + stored));
  }
}
