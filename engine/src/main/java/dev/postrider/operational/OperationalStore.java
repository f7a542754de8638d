package dev.postrider.operational;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.store.LanePlace;
import dev.postrider.delivery.store.LanePlaceStore;
import dev.postrider.endpoint.SubscriptionSet;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.tenant.OperationalWebhooks;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The statements that write operational events; all run in the transaction of the caller. */
final class OperationalStore {
  private final Dialect dialect;

  OperationalStore(Dialect dialect) {
    this.dialect = dialect;
  }

  /** An endpoint that receives operational events, and the events that it subscribes to. */
  record Listener(EndpointId endpointId, boolean ordered, SubscriptionSet subscriptions) {}

  /**
   * The application of an environment that operational events are sent to, with its enabled
   * endpoints.
   */
  record Audience(ApplicationId applicationId, List<Listener> listeners) {}

  /** Null if there are none. */
  @Nullable Audience audience(Handle handle, String environmentId) {
    Optional<Id> application =
        handle
            .createQuery(
                "SELECT id FROM applications WHERE environment_id = :environment AND uid = :uid AND"
                    + " deleted_at IS NULL")
            .bind("environment", OperationalWebhooks.environment(environmentId))
            .bind("uid", OperationalWebhooks.UID)
            .mapTo(Id.class)
            .findOne();
    if (application.isEmpty()) {
      return null;
    }
    List<Listener> listeners = listeners(handle, new ApplicationId(application.get()));
    return listeners.isEmpty()
        ? null
        : new Audience(new ApplicationId(application.get()), listeners);
  }

  private List<Listener> listeners(Handle handle, ApplicationId applicationId) {
    Map<Id, Set<String>> patterns = new HashMap<>();
    handle
        .createQuery(
            "SELECT endpoint_id, pattern FROM subscriptions WHERE application_id = :application")
        .bind("application", applicationId)
        .map(
            Row.mapper(
                dialect,
                row ->
                    patterns
                        .computeIfAbsent(row.id("endpoint_id"), _ -> new HashSet<>())
                        .add(row.text("pattern"))))
        .list();
    return handle
        .createQuery(
            """
            SELECT e.id, l.ordered FROM endpoints e JOIN lanes l ON l.id = e.id
             WHERE e.application_id = :application AND e.deleted_at IS NULL AND NOT e.disabled ORDER BY e.id
            """)
        .bind("application", applicationId)
        .map(
            Row.mapper(
                dialect,
                row ->
                    new Listener(
                        new EndpointId(row.id("id")),
                        row.flag("ordered"),
                        SubscriptionSet.parse(patterns.getOrDefault(row.id("id"), Set.of())))))
        .list();
  }

  /** A message with a pending delivery for each of these endpoints. */
  void insert(
      Handle handle,
      ApplicationId applicationId,
      MessageId messageId,
      String eventType,
      byte[] payload,
      List<Listener> listening,
      long nowMs) {
    handle
        .createUpdate(
            "INSERT INTO messages (application_id, id, event_type, payload) VALUES (:application,"
                + " :id, :type, :payload)")
        .bind("application", applicationId)
        .bind("id", messageId)
        .bind("type", eventType)
        .bind("payload", payload)
        .execute();
    for (Listener listener : listening) {
      Id endpoint = listener.endpointId().value();
      LanePlace place = listener.ordered() ? LanePlaceStore.draw(handle, endpoint, nowMs) : null;
      handle
          .createUpdate(
              StoredCodes.sql(
                  """
                  INSERT INTO deliveries (application_id, id, message_id, lane_id, status, next_attempt_at, order_at, lane_seq, created_at)
                  VALUES (:application, :id, :message, :lane, {PENDING}, :now, :orderAt, :seq, :now)
                  """))
          .bind("application", applicationId)
          .bind("id", DeliveryIds.of(messageId.value(), endpoint, Id.ZERO))
          .bind("message", messageId)
          .bind("lane", endpoint)
          .bind("orderAt", place == null ? null : place.orderAtMs())
          .bind("seq", place == null ? null : place.seq())
          .bind("now", nowMs)
          .execute();
    }
  }

  @Nullable String applicationUid(Handle handle, ApplicationId applicationId) {
    return text(handle, "SELECT uid FROM applications WHERE id = :id", applicationId.value());
  }

  @Nullable String endpointUid(Handle handle, EndpointId endpointId) {
    return text(handle, "SELECT uid FROM endpoints WHERE id = :id", endpointId.value());
  }

  private @Nullable String text(Handle handle, String sql, Id id) {
    return handle
        .createQuery(sql)
        .bind("id", id)
        .map(Row.mapper(dialect, row -> Optional.ofNullable(row.textOrNull("uid"))))
        .findOne()
        .flatMap(text -> text)
        .orElse(null);
  }

  @Nullable String eventId(Handle handle, ApplicationId applicationId, MessageId messageId) {
    return handle
        .createQuery(
            "SELECT event_id FROM messages WHERE application_id = :application AND id = :id")
        .bind("application", applicationId)
        .bind("id", messageId)
        .map(Row.mapper(dialect, row -> Optional.ofNullable(row.textOrNull("event_id"))))
        .findOne()
        .flatMap(text -> text)
        .orElse(null);
  }
}
