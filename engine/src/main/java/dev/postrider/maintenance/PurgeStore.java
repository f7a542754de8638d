package dev.postrider.maintenance;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.accept.KeyTables;
import dev.postrider.delivery.rowless.Rowless;
import dev.postrider.delivery.rowless.RowlessReader;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The SQL that permanently deletes applications and endpoints that were marked as deleted. Each
 * step is one short transaction over a bounded range of keys. Deliveries without a terminal status
 * are skipped. A step can be repeated at any time.
 */
final class PurgeStore {
  /**
   * An application or endpoint that is marked as deleted; {@code endpoint} is null for an
   * application.
   */
  record Deleted(Id application, @Nullable Id endpoint) {}

  /**
   * The result of one purge step: the deleted rows.
   *
   * @param last where the next step starts; null at the end
   * @param unfinished deliveries without a terminal status, which were skipped
   */
  record Step(@Nullable Id last, int removed, int attempts, int unfinished) {}

  /** Tables of an application whose rows do not grow with messages. */
  private static final List<String> OF_APPLICATION =
      List.of(
          "subscriptions",
          "endpoint_channels",
          "signing_secrets",
          "lanes",
          "endpoints",
          "event_types",
          "integrations",
          "agent_routes",
          "queues",
          "api_keys",
          "application_throttles",
          "step_lanes",
          "workflow_callbacks",
          "workflow_inbox",
          "workflow_history",
          "workflow_runs",
          "data_keys",
          "counters",
          "counter_hours");

  /** Tables of the queues of an application; deleted before the queues. */
  private static final List<String> OF_QUEUES =
      List.of("queue_consumers", "queue_tokens", "queue_offsets");

  private final Database database;
  private final Dialect dialect;
  private final Ids ids;
  private final Actor actor;
  private final RowlessReader rowless;

  PurgeStore(Database database, Ids ids, Actor actor) {
    this.database = database;
    this.ids = ids;
    this.actor = actor;
    this.dialect = database.dialect();
    this.rowless = new RowlessReader(dialect);
  }

  /** Applications first: their endpoints are deleted with them. */
  List<Deleted> deleted() {
    return database.snapshot(
        handle -> {
          List<Deleted> all = new ArrayList<>();
          handle
              .createQuery("SELECT id FROM applications WHERE deleted_at IS NOT NULL ORDER BY id")
              .mapTo(Id.class)
              .forEach(id -> all.add(new Deleted(id, null)));
          handle
              .createQuery(
                  """
                  SELECT e.application_id, e.id FROM endpoints e JOIN applications a ON a.id = e.application_id
                   WHERE e.deleted_at IS NOT NULL AND a.deleted_at IS NULL ORDER BY e.id
                  """)
              .map(
                  (row, context) ->
                      new Deleted(dialect.readPresent(row, 1), dialect.readPresent(row, 2)))
              .forEach(all::add);
          return all;
        });
  }

  /** Sources send their messages to an application; one with an active source is not purged. */
  boolean inUse(Id application) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT 1 FROM sources WHERE application_id = :app LIMIT 1")
                .bind("app", application)
                .mapTo(Integer.class)
                .findOne()
                .isPresent());
  }

  long deliveries(Deleted deleted) {
    return database.read(
        handle -> {
          String ofLane = deleted.endpoint() == null ? "" : " AND lane_id = :lane";
          var query =
              handle
                  .createQuery(
                      StoredCodes.sql(
                          """
                          SELECT (SELECT count(*) FROM deliveries WHERE application_id = :app<lane>)
                               + (SELECT count(*) FROM attempts a WHERE application_id = :app<lane> AND number = 1 AND outcome = {SUCCESS}
                                    AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.application_id = a.application_id AND d.id = a.delivery_id))
                          """
                              .replace("<lane>", ofLane)))
                  .bind("app", deleted.application());
          if (deleted.endpoint() != null) {
            query.bind("lane", deleted.endpoint());
          }
          return query.mapTo(Long.class).one();
        });
  }

  private record Candidate(Id id, Id messageId, Id laneId, boolean finished, boolean wanted) {}

  /** Deliveries with their attempts, from that id on. */
  Step deliveries(Deleted deleted, Id after, int limit) {
    return database.write(
        handle -> {
          Set<Id> leased = leasedMessages(handle, deleted.application());
          List<Candidate> window = window(handle, deleted, after, limit);
          Map<Id, Set<Id>> lanes = new HashMap<>();
          int removed = 0;
          int attempts = 0;
          int unfinished = 0;
          for (Candidate one : window) {
            if (one.wanted() && (!one.finished() || leased.contains(one.messageId()))) {
              unfinished++;
            } else if (one.wanted()) {
              attempts += deleteAttempts(handle, deleted.application(), one.id());
              removed +=
                  handle
                      .createUpdate(
                          "DELETE FROM deliveries WHERE application_id = :app AND id = :id AND"
                              + StoredCodes.sql(
                                  " status IN ({DELIVERED}, {DEAD_LETTER}, {CANCELED})"))
                      .bind("app", deleted.application())
                      .bind("id", one.id())
                      .execute();
              if (one.id().equals(DeliveryIds.of(one.messageId(), one.laneId(), Id.ZERO))) {
                lanes.computeIfAbsent(one.messageId(), _ -> new HashSet<>()).add(one.laneId());
              }
            }
          }
          dropTargets(handle, deleted.application(), lanes);
          return new Step(
              window.size() < limit ? null : window.getLast().id(), removed, attempts, unfinished);
        });
  }

  /** Deliveries without a row, of the messages from that id on. */
  Step rowlessDeliveries(Deleted deleted, Id after, int limit) {
    return database.write(
        handle -> {
          Set<Id> leased = leasedMessages(handle, deleted.application());
          List<Id> window = messages(handle, deleted.application(), after, limit);
          Map<Id, Set<Id>> lanes = new HashMap<>();
          int removed = 0;
          int attempts = 0;
          int unfinished = 0;
          for (Rowless one : rowless.ofMessages(handle, deleted.application(), window)) {
            if (deleted.endpoint() != null && !deleted.endpoint().equals(one.laneId())) {
              continue;
            }
            if (leased.contains(one.messageId())) {
              unfinished++;
            } else {
              removed += one.deliveredAtMs() == null ? 0 : 1;
              attempts += deleteAttempts(handle, deleted.application(), one.id());
              lanes.computeIfAbsent(one.messageId(), _ -> new HashSet<>()).add(one.laneId());
            }
          }
          dropTargets(handle, deleted.application(), lanes);
          return new Step(
              window.size() < limit ? null : window.getLast(), removed, attempts, unfinished);
        });
  }

  /** As long as a lease batch names them, an instance may still end one of their leases. */
  private Set<Id> leasedMessages(Handle handle, Id application) {
    return rowless.leasedOf(handle, application).stream()
        .map(LeaseBatch.Item::messageId)
        .collect(Collectors.toSet());
  }

  private static int deleteAttempts(Handle handle, Id application, Id delivery) {
    return handle
        .createUpdate("DELETE FROM attempts WHERE application_id = :app AND delivery_id = :id")
        .bind("app", application)
        .bind("id", delivery)
        .execute();
  }

  /**
   * These messages no longer name these lanes: a lane that is named, with neither a row nor a first
   * attempt, means that the delivery is being sent.
   */
  private void dropTargets(Handle handle, Id application, Map<Id, Set<Id>> lanes) {
    if (lanes.isEmpty()) {
      return;
    }
    record Named(Id message, List<Id> targets) {}
    List<Named> named =
        handle
            .createQuery(
                "SELECT id, targets FROM messages WHERE application_id = :app AND id IN (<ids>)"
                    + " AND targets IS NOT NULL")
            .bind("app", application)
            .bindList("ids", List.copyOf(lanes.keySet()))
            .map(
                Row.mapper(
                    dialect,
                    row -> new Named(row.id("id"), Targets.decode(row.bytesOrNull("targets")))))
            .list();
    for (Named one : named) {
      Set<Id> dropped = lanes.getOrDefault(one.message(), Set.of());
      List<Id> kept = one.targets().stream().filter(lane -> !dropped.contains(lane)).toList();
      if (kept.size() < one.targets().size()) {
        handle
            .createUpdate(
                "UPDATE messages SET targets = :targets WHERE application_id = :app AND id = :id")
            .bind("targets", Targets.encode(kept))
            .bind("app", application)
            .bind("id", one.message())
            .execute();
      }
    }
  }

  /** By primary key: on SQLite that of deliveries does not begin with the application. */
  private List<Candidate> window(Handle handle, Deleted deleted, Id after, int limit) {
    String scope = dialect == Dialect.SQLITE ? "" : "application_id = :app AND ";
    var query =
        handle
            .createQuery(
                "SELECT id, message_id, status, lane_id, application_id FROM deliveries WHERE "
                    + scope
                    + "id > :after ORDER BY id LIMIT :limit")
            .bind("after", after)
            .bind("limit", limit);
    if (dialect != Dialect.SQLITE) {
      query.bind("app", deleted.application());
    }
    return query
        .map(
            (row, context) -> {
              DeliveryStatus status = DeliveryStatus.of(row.getInt(3));
              boolean wanted =
                  deleted.application().equals(dialect.readPresent(row, 5))
                      && (deleted.endpoint() == null
                          || deleted.endpoint().equals(dialect.readPresent(row, 4)));
              return new Candidate(
                  dialect.readPresent(row, 1),
                  dialect.readPresent(row, 2),
                  dialect.readPresent(row, 4),
                  status.terminal(),
                  wanted);
            })
        .list();
  }

  /** An application's messages, from that id on. */
  Step deleteMessages(Id application, Id after, int limit) {
    return database.write(
        handle -> {
          List<Id> window = messages(handle, application, after, limit);
          EventIdStore.delete(handle, application, window);
          int removed = 0;
          for (Id id : window) {
            removed +=
                handle
                    .createUpdate("DELETE FROM messages WHERE application_id = :app AND id = :id")
                    .bind("app", application)
                    .bind("id", id)
                    .execute();
          }
          return new Step(window.size() < limit ? null : window.getLast(), removed, 0, 0);
        });
  }

  private static List<Id> messages(Handle handle, Id application, Id after, int limit) {
    return handle
        .createQuery(
            "SELECT id FROM messages WHERE application_id = :app AND id > :after ORDER BY id LIMIT"
                + " :limit")
        .bind("app", application)
        .bind("after", after)
        .bind("limit", limit)
        .mapTo(Id.class)
        .list();
  }

  /** Up to that many idempotency keys of each table; returns how many there were. */
  int deleteKeys(Id application, int limit) {
    return database.write(
        handle -> {
          int deleted = 0;
          for (String table : KeyTables.all()) {
            deleted +=
                handle
                    .createUpdate(
                        """
                        DELETE FROM <table> WHERE application_id = :app AND key IN
                          (SELECT key FROM <table> WHERE application_id = :app LIMIT :limit)
                        """)
                    .define("table", table)
                    .bind("app", application)
                    .bind("limit", limit)
                    .execute();
          }
          return deleted;
        });
  }

  void deleteApplication(Id application) {
    database.write(
        handle -> {
          Optional<String> environment =
              handle
                  .createQuery("SELECT environment_id FROM applications WHERE id = :app")
                  .bind("app", application)
                  .mapTo(String.class)
                  .findOne();
          for (String table : OF_QUEUES) {
            handle
                .createUpdate(
                    "DELETE FROM "
                        + table
                        + " WHERE queue_id IN (SELECT id FROM queues WHERE application_id = :app)")
                .bind("app", application)
                .execute();
          }
          for (String table : OF_APPLICATION) {
            handle
                .createUpdate("DELETE FROM " + table + " WHERE application_id = :app")
                .bind("app", application)
                .execute();
          }
          int removed =
              handle
                  .createUpdate(
                      "DELETE FROM applications WHERE id = :app AND deleted_at IS NOT NULL")
                  .bind("app", application)
                  .execute();
          if (removed == 1) {
            AuditRows.ofEnvironment(
                handle,
                ids.next(),
                actor,
                AuditAction.APPLICATION_PURGE,
                environment.orElseThrow(),
                application.text(IdKind.APPLICATION));
          }
          return removed;
        });
  }

  /**
   * Deleted routes that were bound to the endpoint or owned it, except those that deliveries to
   * other endpoints still refer to. No new delivery refers to a deleted route, so the two steps
   * need no common transaction, and the scan of the deliveries blocks nobody.
   */
  void deleteRoutes(Id application, Id endpoint) {
    List<Id> unnamed = database.read(handle -> unnamedRoutes(handle, application, endpoint));
    for (Id route : unnamed) {
      database.write(
          handle ->
              handle
                  .createUpdate("DELETE FROM agent_routes WHERE application_id = :app AND id = :id")
                  .bind("app", application)
                  .bind("id", route)
                  .execute());
    }
  }

  private static List<Id> unnamedRoutes(Handle handle, Id application, Id endpoint) {
    List<Id> routes =
        handle
            .createQuery(
                """
                SELECT id FROM agent_routes
                 WHERE application_id = :app AND endpoint_id = :endpoint AND deleted_at IS NOT NULL
                """)
            .bind("app", application)
            .bind("endpoint", endpoint)
            .mapTo(Id.class)
            .list();
    if (routes.isEmpty()) {
      return routes;
    }
    Set<Id> named =
        handle
            .createQuery(
                "SELECT DISTINCT route_id FROM deliveries WHERE application_id = :app AND route_id"
                    + " IS NOT NULL")
            .bind("app", application)
            .mapTo(Id.class)
            .set();
    return routes.stream().filter(route -> !named.contains(route)).toList();
  }

  void deleteEndpoint(Id application, Id endpoint) {
    database.write(
        handle -> {
          for (String condition :
              List.of(
                  "subscriptions WHERE application_id = :app AND endpoint_id = :id",
                  "endpoint_channels WHERE application_id = :app AND endpoint_id = :id",
                  "signing_secrets WHERE application_id = :app AND owner_id = :id",
                  "lanes WHERE application_id = :app AND id = :id",
                  "counters WHERE application_id = :app AND lane_id = :id",
                  "counter_hours WHERE application_id = :app AND lane_id = :id")) {
            handle
                .createUpdate("DELETE FROM " + condition)
                .bind("app", application)
                .bind("id", endpoint)
                .execute();
          }
          int removed =
              handle
                  .createUpdate(
                      "DELETE FROM endpoints WHERE application_id = :app AND id = :id AND"
                          + " deleted_at IS NOT NULL")
                  .bind("app", application)
                  .bind("id", endpoint)
                  .execute();
          if (removed == 1) {
            AuditRows.ofApplication(
                handle,
                ids.next(),
                actor,
                AuditAction.ENDPOINT_PURGE,
                new ApplicationId(application),
                endpoint.text(IdKind.ENDPOINT));
          }
          return removed;
        });
  }
}
