package dev.postrider.delivery.store;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.Transitions;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Statements that requeue finished deliveries, each a recorded manual action (engine rule 22). */
public final class RedriveStore {
  /**
   * The facts that decide whether a message can be resent to an endpoint: which of them exist, and
   * whether the endpoint is disabled or ordered.
   */
  public record Subject(
      boolean message, boolean payload, boolean endpoint, boolean disabled, boolean ordered) {}

  private final Database database;
  private final DeliveryReader reader;

  public RedriveStore(Database database) {
    this.database = database;
    this.reader = new DeliveryReader(database);
  }

  public Subject subject(Id applicationId, Id messageId, Id endpointId) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT m.id IS NOT NULL AS message, m.payload IS NOT NULL AS payload, e.id IS NOT NULL AS endpoint,
                           coalesce(e.disabled, false) AS disabled, coalesce(l.ordered, false) AS ordered
                      FROM applications a
                      LEFT JOIN messages m ON m.application_id = a.id AND m.id = :message
                      LEFT JOIN endpoints e ON e.application_id = a.id AND e.id = :endpoint AND e.deleted_at IS NULL
                      LEFT JOIN lanes l ON l.id = e.id
                     WHERE a.id = :app AND a.deleted_at IS NULL
                    """)
                .bind("app", applicationId)
                .bind("message", messageId)
                .bind("endpoint", endpointId)
                .map(
                    (row, context) ->
                        new Subject(
                            row.getBoolean(1),
                            row.getBoolean(2),
                            row.getBoolean(3),
                            row.getBoolean(4),
                            row.getBoolean(5)))
                .findOne()
                .orElse(new Subject(false, false, false, false, false)));
  }

  /**
   * A new delivery of an old message: one attempt, at the end of an ordered lane. False if the
   * message was deleted meanwhile.
   */
  public boolean insertManual(
      Id applicationId,
      Id deliveryId,
      Id messageId,
      Id laneId,
      boolean ordered,
      Id auditId,
      long nowMs) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          boolean inserted =
              insert(
                      handle,
                      Addition.manual(applicationId, deliveryId, messageId, laneId, ordered),
                      nowMs)
                  == 1;
          if (inserted) {
            AuditRows.ofApplication(
                handle,
                auditId,
                actor,
                AuditAction.MESSAGE_RESEND,
                new ApplicationId(applicationId),
                messageId.text(IdKind.MESSAGE));
          }
          return inserted;
        });
  }

  /** How a further delivery is attempted. */
  public enum Tries {
    /** On the whole retry schedule, as if the message were new. */
    AS_NEW,
    /** The same, at the request of a caller: its attempts are manual. */
    AGAIN,
    /** One attempt, never retried. */
    ONCE
  }

  /**
   * A further delivery of a stored message.
   *
   * @param routeId its agent route; that of a manual delivery is determined when it is sent
   * @param ordered whether the lane is: the delivery is then placed at its end
   */
  public record Addition(
      Id applicationId,
      Id deliveryId,
      Id messageId,
      Id laneId,
      @Nullable Id routeId,
      boolean ordered,
      Tries tries) {
    /** Whether it is the delivery of the first fan-out, which may exist without a row. */
    private boolean isFirst() {
      return deliveryId.equals(DeliveryIds.of(messageId, laneId, Id.ZERO));
    }

    public static Addition manual(
        Id applicationId, Id deliveryId, Id messageId, Id laneId, boolean ordered) {
      return new Addition(applicationId, deliveryId, messageId, laneId, null, ordered, Tries.ONCE);
    }
  }

  /**
   * Returns 1; 0 if the delivery exists, with a row or without one, or if the message was deleted.
   */
  public int insert(Handle handle, Addition added, long nowMs) {
    if (!lockForAddition(handle, added)) {
      return 0;
    }
    LanePlace place = added.ordered() ? LanePlaceStore.draw(handle, added.laneId(), nowMs) : null;
    return handle
        .createUpdate(
            """
            INSERT INTO deliveries (application_id, id, message_id, lane_id, route_id, status, manual, by_hand, next_attempt_at, order_at, lane_seq, created_at)
            VALUES (:app, :id, :message, :lane, :route, 0, :manual, :byHand, :now, :orderAt, :seq, :now)
            ON CONFLICT DO NOTHING
            """)
        .bind("app", added.applicationId())
        .bind("id", added.deliveryId())
        .bind("message", added.messageId())
        .bind("lane", added.laneId())
        .bindByType("route", added.routeId(), Id.class)
        .bind("manual", added.tries() == Tries.ONCE)
        .bind("byHand", added.tries() == Tries.AGAIN)
        .bind("now", nowMs)
        .bind("orderAt", place == null ? null : place.orderAtMs())
        .bind("seq", place == null ? null : place.seq())
        .execute();
  }

  /**
   * Locks the message, before the lane: a prune must not delete it meanwhile. False if it does not
   * exist, or if it has this delivery without a row.
   */
  private boolean lockForAddition(Handle handle, Addition added) {
    return handle
        .createQuery(
            "SELECT targets FROM messages WHERE application_id = :app AND id = :message "
                + database.dialect().lock("FOR SHARE"))
        .bind("app", added.applicationId())
        .bind("message", added.messageId())
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    !added.isFirst()
                        || !Targets.decode(row.bytesOrNull("targets")).contains(added.laneId())))
        .findOne()
        .orElse(false);
  }

  /** A message that goes to one lane only. */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  public record Example(
      Id applicationId, Id messageId, Id deliveryId, Id laneId, String eventType, byte[] payload) {}

  public void insertExample(Example example, boolean ordered, long nowMs) {
    database.write(
        handle -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO messages (application_id, id, event_type, payload) VALUES (:app, :id, :type, :payload)
                  ON CONFLICT DO NOTHING
                  """)
              .bind("app", example.applicationId())
              .bind("id", example.messageId())
              .bind("type", example.eventType())
              .bind("payload", example.payload())
              .execute();
          return insert(
              handle,
              Addition.manual(
                  example.applicationId(),
                  example.deliveryId(),
                  example.messageId(),
                  example.laneId(),
                  ordered),
              nowMs);
        });
  }

  /** Which finished deliveries of a time range are sent again, and how. */
  public enum Choice {
    /** Dead letters, on a fresh schedule. */
    DEAD_LETTERS("status = {DEAD_LETTER}", false),
    /**
     * Deliveries that the endpoint did not receive, on a fresh schedule; not those that a caller
     * canceled.
     */
    UNDELIVERED(
        "(status = {DEAD_LETTER} OR (status = {CANCELED} AND coalesce(reason, '') <> '"
            + EndReason.CANCEL_REQUESTED.text()
            + "'))",
        false),
    /** Failed deliveries, or those canceled because the endpoint was disabled; one attempt each. */
    FAILED_ONCE(
        "(status = {DEAD_LETTER} OR (status = {CANCELED} AND reason = '"
            + EndReason.ENDPOINT_DISABLED.text()
            + "'))",
        true);

    private final String condition;
    private final boolean manual;

    Choice(String condition, boolean manual) {
      this.condition = StoredCodes.sql(condition);
      this.manual = manual;
    }
  }

  /** One page of a redrive: its position, and the requeued deliveries. */
  public record Page(@Nullable Id last, List<Id> redriven) {}

  /**
   * Requeues finished deliveries of a lane in an id range; their attempt numbers continue. Reads
   * one page of the deliveries of the application.
   */
  public Page redrive(
      Handle handle,
      Id applicationId,
      Id laneId,
      Id after,
      Id until,
      Choice choice,
      long nowMs,
      int pageSize) {
    List<Id> page =
        handle
            .createQuery(
                "SELECT id FROM deliveries WHERE application_id = :app AND id > :after AND id <="
                    + " :until ORDER BY id LIMIT :limit")
            .bind("app", applicationId)
            .bind("after", after)
            .bind("until", until)
            .bind("limit", pageSize)
            .mapTo(Id.class)
            .list();
    if (page.isEmpty()) {
      return new Page(null, List.of());
    }
    List<Finished> finished =
        handle
            .createQuery(
                "SELECT id, message_id FROM deliveries WHERE application_id = :app AND id IN"
                    + " (<ids>) AND lane_id = :lane AND "
                    + choice.condition
                    + " ORDER BY id")
            .bind("app", applicationId)
            .bindList("ids", page)
            .bind("lane", laneId)
            .map(
                Row.mapper(
                    database.dialect(), row -> new Finished(row.id("id"), row.id("message_id"))))
            .list();
    if (choice != Choice.DEAD_LETTERS) {
      finished = undelivered(handle, applicationId, laneId, finished);
    }
    List<Id> redriven =
        finished.stream()
            .map(Finished::id)
            .filter(id -> redriveOne(handle, applicationId, id, laneId, choice.manual, nowMs) == 1)
            .toList();
    return new Page(page.size() < pageSize ? null : page.getLast(), redriven);
  }

  /**
   * Which dead letters of an application are requeued.
   *
   * @param after messages accepted after this id
   * @param until messages accepted up to this id
   * @param eventTypes empty for all
   * @param deadUntilMs not those that died later, so that none is requeued twice
   */
  public record DeadLetters(Id after, Id until, List<String> eventTypes, long deadUntilMs) {
    private boolean includes(DeadLetter dead) {
      return dead.id().compareTo(after) > 0
          && dead.id().compareTo(until) <= 0
          && (eventTypes.isEmpty() || eventTypes.contains(dead.eventType()));
    }
  }

  /** The position of a dead letter in the order in which they died. */
  public record DeadPlace(long deadAtMs, Id id) {}

  /**
   * One page of a redrive of an application.
   *
   * @param last its position; null at the end
   * @param redriven the requeued deliveries of each endpoint or queue
   * @param skipped those that cannot be sent: endpoint or queue are deleted or disabled, or the
   *     payload has expired
   */
  public record DeadPage(
      @Nullable DeadPlace last, SortedMap<Lane, List<Id>> redriven, int skipped) {}

  /** An endpoint or a queue. */
  public record Lane(Id id, IdKind kind) implements Comparable<Lane> {
    @Override
    public int compareTo(Lane other) {
      return id.compareTo(other.id);
    }
  }

  private record DeadLetter(
      Id id, Lane lane, long deadAtMs, @Nullable String eventType, boolean sendable) {}

  /** Requeues a page of the dead letters of an application, oldest end first. */
  public DeadPage redriveDeadLetters(
      Handle handle,
      Id applicationId,
      DeadLetters which,
      DeadPlace after,
      long nowMs,
      int pageSize) {
    List<DeadLetter> page = deadLetters(handle, applicationId, which, after, pageSize);
    List<DeadLetter> chosen = page.stream().filter(which::includes).toList();
    SortedMap<Lane, List<Id>> byLane = new TreeMap<>();
    List<Id> sendable =
        chosen.stream().filter(DeadLetter::sendable).map(DeadLetter::id).sorted().toList();
    if (!sendable.isEmpty()) {
      Set<Id> locked = Set.copyOf(lockDeadLetters(handle, applicationId, sendable));
      chosen.stream()
          .filter(dead -> locked.contains(dead.id()))
          .forEach(
              dead -> byLane.computeIfAbsent(dead.lane(), _ -> new ArrayList<>()).add(dead.id()));
    }
    byLane.forEach(
        (lane, ids) ->
            ids.removeIf(
                id -> redriveOne(handle, applicationId, id, lane.id(), false, nowMs) == 0));
    DeadLetter last = page.size() < pageSize ? null : page.getLast();
    return new DeadPage(
        last == null ? null : new DeadPlace(last.deadAtMs(), last.id()),
        byLane,
        chosen.size() - sendable.size());
  }

  private List<DeadLetter> deadLetters(
      Handle handle, Id applicationId, DeadLetters which, DeadPlace after, int limit) {
    return handle
        .createQuery(
            """
            SELECT d.id, d.lane_id, d.dead_at, m.event_type, m.payload IS NOT NULL AS payload,
                   EXISTS (SELECT 1 FROM endpoints e WHERE e.id = d.lane_id AND e.deleted_at IS NULL AND NOT e.disabled) AS to_endpoint,
                   EXISTS (SELECT 1 FROM queues q WHERE q.id = d.lane_id AND q.deleted_at IS NULL) AS to_queue
              FROM deliveries d LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
             WHERE d.application_id = :app AND d.dead_at IS NOT NULL AND d.dead_at <= :deadUntil AND (d.dead_at, d.id) > (:deadAt, :after)
             ORDER BY d.dead_at, d.id LIMIT :limit
            """)
        .bind("app", applicationId)
        .bind("deadUntil", which.deadUntilMs())
        .bind("deadAt", after.deadAtMs())
        .bind("after", after.id())
        .bind("limit", limit)
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    new DeadLetter(
                        row.id("id"),
                        new Lane(
                            row.id("lane_id"),
                            row.flag("to_queue") ? IdKind.QUEUE : IdKind.ENDPOINT),
                        row.number("dead_at"),
                        row.textOrNull("event_type"),
                        row.flag("payload") && (row.flag("to_endpoint") || row.flag("to_queue")))))
        .list();
  }

  /** In id order, and before any lane (engine rule 16). */
  private List<Id> lockDeadLetters(Handle handle, Id applicationId, List<Id> ids) {
    return handle
        .createQuery(
            StoredCodes.sql(
                    "SELECT id FROM deliveries WHERE application_id = :app AND id IN (<ids>) AND"
                        + " status = {DEAD_LETTER} ORDER BY id ")
                + database.dialect().lock("FOR UPDATE"))
        .bind("app", applicationId)
        .bindList("ids", ids)
        .mapTo(Id.class)
        .list();
  }

  private record Finished(Id id, Id messageId) {}

  /** One for each message, and none for a message that another delivery delivered or still may. */
  private List<Finished> undelivered(
      Handle handle, Id applicationId, Id laneId, List<Finished> finished) {
    Map<Id, DeliveryView> shown =
        reader.toLane(
            handle,
            new ApplicationId(applicationId),
            laneId,
            finished.stream().map(Finished::messageId).toList());
    return finished.stream()
        .filter(
            one -> {
              DeliveryView view = shown.get(one.messageId());
              return view != null && view.id().equals(one.id());
            })
        .toList();
  }

  /**
   * Requeues one dead letter or canceled delivery; 0 if its status does not allow it.
   *
   * @param manual one attempt instead of a fresh schedule
   */
  public int redriveOne(
      Handle handle, Id applicationId, Id deliveryId, Id laneId, boolean manual, long nowMs) {
    // The lock of the delivery before that of the lane, as everywhere; a prune may have deleted
    // it meanwhile.
    boolean present =
        handle
            .createQuery(
                "SELECT 1 FROM deliveries WHERE application_id = :app AND id = :id AND status IN"
                    + " (4, 5) "
                    + database.dialect().lock("FOR UPDATE"))
            .bind("app", applicationId)
            .bind("id", deliveryId)
            .mapTo(Integer.class)
            .findOne()
            .isPresent();
    if (!present) {
      return 0;
    }
    boolean ordered =
        handle
            .createQuery("SELECT ordered FROM lanes WHERE id = :lane")
            .bind("lane", laneId)
            .mapTo(Boolean.class)
            .findOne()
            .orElse(false);
    LanePlace place = ordered ? LanePlaceStore.draw(handle, laneId, nowMs) : null;
    return handle
        .createUpdate(
            StoredCodes.sql(
                """
                UPDATE deliveries
                   SET status = :status, manual = :manual, by_hand = true, schedule_from = attempts, rescues = 0, next_attempt_at = :now,
                       finished_at = NULL, dead_at = NULL, reason = NULL, order_at = :orderAt, lane_seq = :seq
                 WHERE application_id = :app AND id = :id AND status IN ({DEAD_LETTER}, {CANCELED})
                """))
        .bind("status", Transitions.next(DeliveryStatus.DEAD_LETTER, DeliveryEvent.REDRIVE).code())
        .bind("manual", manual)
        .bind("app", applicationId)
        .bind("id", deliveryId)
        .bind("now", nowMs)
        .bind("orderAt", place == null ? null : place.orderAtMs())
        .bind("seq", place == null ? null : place.seq())
        .execute();
  }

  /**
   * Requeues one dead letter or canceled delivery, or makes a pending one due; returns its new
   * status, or null if its status did not allow it.
   */
  @Nullable
  public DeliveryStatus redriveOne(
      Id applicationId, Id deliveryId, Id laneId, Id auditId, long nowMs) {
    Actor actor = Actor.current();
    return database
        .write(
            handle -> {
              Optional<DeliveryStatus> now =
                  redriveOne(handle, applicationId, deliveryId, laneId, false, nowMs) == 1
                      ? Optional.of(DeliveryStatus.PENDING)
                      : dueNow(handle, applicationId, deliveryId, laneId, nowMs);
              if (now.isPresent()) {
                AuditRows.ofApplication(
                    handle,
                    auditId,
                    actor,
                    AuditAction.DELIVERY_RETRY,
                    new ApplicationId(applicationId),
                    deliveryId.text(IdKind.DELIVERY));
              }
              return now;
            })
        .orElse(null);
  }

  /**
   * A pending delivery that was made due now, and whether its position in a FIFO lane has a later
   * time.
   */
  private record MadeDue(DeliveryStatus status, boolean placedLater) {}

  private static Optional<DeliveryStatus> dueNow(
      Handle handle, Id applicationId, Id deliveryId, Id laneId, long nowMs) {
    Optional<MadeDue> due =
        handle
            .createQuery(
                StoredCodes.sql(
                    """
                    UPDATE deliveries SET by_hand = true, next_attempt_at = CASE WHEN next_attempt_at < :now THEN next_attempt_at ELSE :now END
                     WHERE application_id = :app AND id = :id AND status IN ({PENDING}, {FAILED}) AND next_attempt_at IS NOT NULL
                    RETURNING status, lane_seq IS NOT NULL AND order_at > :now
                    """))
            .bind("app", applicationId)
            .bind("id", deliveryId)
            .bind("now", nowMs)
            .map((row, context) -> new MadeDue(DeliveryStatus.of(row.getInt(1)), row.getBoolean(2)))
            .findOne();
    if (due.isPresent() && due.get().placedLater()) {
      bringForward(handle, applicationId, deliveryId, laneId, nowMs);
    }
    return due.map(MadeDue::status);
  }

  /** Moves it from its position at a later time to the end of the pending ones. */
  private static void bringForward(
      Handle handle, Id applicationId, Id deliveryId, Id laneId, long nowMs) {
    LanePlace end = LanePlaceStore.draw(handle, laneId, nowMs);
    if (end != null) {
      handle
          .createUpdate(
              "UPDATE deliveries SET order_at = :orderAt, lane_seq = :seq WHERE application_id ="
                  + " :app AND id = :id AND order_at > :orderAt")
          .bind("app", applicationId)
          .bind("id", deliveryId)
          .bind("orderAt", end.orderAtMs())
          .bind("seq", end.seq())
          .execute();
    }
  }
}
