package dev.postrider.testkit;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseBatch.Item;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Stores deliveries without a row as accepting and finishing them does: a message names its lanes,
 * a lease batch names what is being sent, and the first attempt says how it ended.
 */
public final class RowlessFixture {
  private final Database database;
  private final Ids ids;

  public RowlessFixture(Database database, Ids ids) {
    this.database = database;
    this.ids = ids;
  }

  /** A message whose deliveries to these lanes have no row. */
  public Id message(Id application, Id... lanes) {
    return messageWithId(application, ids.next(), lanes);
  }

  public Id messageWithId(Id application, Id id, Id... lanes) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO messages (application_id, id, event_type, payload, targets)
                    VALUES (:application, :id, 'a.b', :payload, :targets)
                    """)
                .bind("application", application)
                .bind("id", id)
                .bind("payload", "{}".getBytes(StandardCharsets.UTF_8))
                .bind("targets", Targets.encode(List.of(lanes)))
                .execute());
    return id;
  }

  /** The lease batch of deliveries of one application; returns its id. */
  public Id leased(Id instance, Id application, long untilMs, Id message, Id... lanes) {
    return leased(
        instance,
        untilMs,
        Stream.of(lanes).map(lane -> new Item(application, message, lane)).toList());
  }

  public Id leased(Id instance, long untilMs, List<Item> items) {
    LeaseBatch batch =
        new LeaseBatch(new LeaseBatch.Key(instance, ids.next()), untilMs, items, _ -> {});
    database.write(
        handle ->
            handle
                .createUpdate(
                    "INSERT INTO lease_batches (instance_id, id, lease_until, items) VALUES"
                        + " (:instance, :id, :until, :items)")
                .bind("instance", instance)
                .bind("id", batch.key().id())
                .bind("until", batch.leaseUntilMs())
                .bind("items", batch.items())
                .execute());
    return batch.key().id();
  }

  /** A caller canceled the deliveries to these lanes while they were being sent. */
  public void canceled(Id application, Id message, Id... lanes) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    "UPDATE messages SET canceled = :lanes WHERE application_id = :application AND"
                        + " id = :id")
                .bind("lanes", Targets.encode(List.of(lanes)))
                .bind("application", application)
                .bind("id", message)
                .execute());
  }

  /** The first attempt was successful; returns the delivery. */
  public Id delivered(Id application, Id message, Id lane, long sentAtMs) {
    return end(application, message, lane, new First(OutcomeClass.SUCCESS, sentAtMs, null), null);
  }

  /** The first attempt failed and a retry is scheduled; returns the delivery. */
  public Id failed(Id application, Id message, Id lane, long sentAtMs, long nextAttemptAtMs) {
    Row row = new Row(DeliveryStatus.FAILED, 1, null, nextAttemptAtMs);
    First attempt = new First(OutcomeClass.HTTP, sentAtMs, nextAttemptAtMs);
    return end(application, message, lane, attempt, row);
  }

  /** The lease ended untried, and the delivery waits; returns the delivery. */
  public Id released(Id application, Id message, Id lane, long nowMs) {
    Row row = new Row(DeliveryStatus.PENDING, 0, null, nowMs);
    return end(application, message, lane, new First(OutcomeClass.VOID, nowMs, null), row);
  }

  /** The lease ended untried, and so did the delivery; returns the delivery. */
  public Id ended(
      Id application, Id message, Id lane, DeliveryStatus status, EndReason reason, long nowMs) {
    Row row = new Row(status, 0, reason, null);
    return end(application, message, lane, new First(OutcomeClass.VOID, nowMs, null), row);
  }

  /** The row alone. */
  public void row(
      Id application,
      Id message,
      Id lane,
      DeliveryStatus status,
      int attempts,
      @Nullable EndReason reason,
      @Nullable Long nextAttemptAtMs) {
    Row row = new Row(status, attempts, reason, nextAttemptAtMs);
    database.write(handle -> insert(handle, application, message, lane, row));
  }

  private record Row(
      DeliveryStatus status,
      int attempts,
      @Nullable EndReason reason,
      @Nullable Long nextAttemptAtMs) {}

  private record First(OutcomeClass outcome, long sentAtMs, @Nullable Long nextAttemptAtMs) {
    boolean tried() {
      return outcome != OutcomeClass.VOID;
    }

    @Nullable Integer statusCode() {
      return outcome == OutcomeClass.SUCCESS ? (Integer) 200 : tried() ? (Integer) 500 : null;
    }
  }

  /** In one transaction, as always. */
  private Id end(Id application, Id message, Id lane, First attempt, @Nullable Row row) {
    return database.write(
        handle -> {
          Id delivery = insert(handle, application, message, lane, attempt);
          if (row != null) {
            insert(handle, application, message, lane, row);
          }
          return delivery;
        });
  }

  private static int insert(Handle handle, Id application, Id message, Id lane, Row row) {
    Long endedAt = row.status().terminal() ? (Long) message.epochMs() : null;
    return handle
        .createUpdate(
            """
            INSERT INTO deliveries (application_id, id, message_id, lane_id, status, attempts, lease_version, next_attempt_at, reason, created_at,
              finished_at, dead_at)
            VALUES (:application, :id, :message, :lane, :status, :attempts, 1, :next, :reason, :created, :finished, :dead)
            """)
        .bind("application", application)
        .bind("id", DeliveryIds.of(message, lane, Id.ZERO))
        .bind("message", message)
        .bind("lane", lane)
        .bind("status", row.status().code())
        .bind("attempts", row.attempts())
        .bind("next", row.nextAttemptAtMs())
        .bind("reason", row.reason() == null ? null : row.reason().text())
        .bind("created", message.epochMs())
        .bind("finished", endedAt)
        .bind("dead", row.status() == DeliveryStatus.DEAD_LETTER ? endedAt : null)
        .execute();
  }

  private Id insert(Handle handle, Id application, Id message, Id lane, First attempt) {
    Id delivery = DeliveryIds.of(message, lane, Id.ZERO);
    handle
        .createUpdate(
            """
            INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, status_code, latency_ms, sent_at,
              next_attempt_at, url)
            VALUES (:application, :message, :delivery, 1, :id, :lane, :manual, :outcome, :code, :latency, :sent, :next, :url)
            """)
        .bind("application", application)
        .bind("message", message)
        .bind("delivery", delivery)
        .bind("id", attempt.tried() ? ids.next() : delivery)
        .bind("lane", lane)
        .bind("manual", false)
        .bind("outcome", attempt.outcome().code())
        .bind("code", attempt.statusCode())
        .bind("latency", attempt.tried() ? 5 : 0)
        .bind("sent", attempt.sentAtMs())
        .bind("next", attempt.nextAttemptAtMs())
        .bind("url", attempt.tried() ? "https://example.com/" : "")
        .execute();
    return delivery;
  }
}
