package dev.postrider.maintenance;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.rowless.Rowless;
import dev.postrider.delivery.rowless.RowlessReader;
import dev.postrider.id.Id;
import dev.postrider.maintenance.Retention.Cutoffs;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.tenant.ApplicationSettings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * The statements of pruning. Each reads a bounded window by key and deletes in one short
 * transaction what it has found, locked with SKIP LOCKED and checked once more; so any number of
 * instances may run them at once.
 */
final class PruneStore {
  /** Ids in one statement. */
  static final int CHUNK = 1_000;

  /** Pages of the table idempotency_long in one statement of PostgreSQL, rows in one of SQLite. */
  static final int KEY_PAGES = 100;

  static final int KEY_ROWS = 2_000;

  /**
   * The result of one pruning step: the deleted rows.
   *
   * @param last where the next step starts; null at the end
   */
  record Step(@Nullable Id last, int messages, int deliveries, int attempts) {}

  /**
   * A delivery: its status, and the time since which its retention counts if it has finished.
   *
   * @param stored whether it has a row
   */
  private record Ending(Id id, Id messageId, DeliveryStatus status, long endedMs, boolean stored) {
    static Ending of(Rowless one) {
      Long delivered = one.deliveredAtMs();
      return delivered == null
          ? new Ending(one.id(), one.messageId(), DeliveryStatus.SENDING, 0, false)
          : new Ending(one.id(), one.messageId(), DeliveryStatus.DELIVERED, delivered, false);
    }

    boolean mayGo(Cutoffs cutoffs) {
      return switch (status) {
        case DELIVERED, CANCELED -> endedMs <= cutoffs.deliveredMs();
        case DEAD_LETTER -> endedMs <= cutoffs.deadMs();
        case PENDING, SENDING, FAILED -> false;
      };
    }
  }

  private final Database database;
  private final Dialect dialect;
  private final RowlessReader rowless;

  private final WriteTimes writes;

  PruneStore(Database database, WriteTimes writes) {
    this.database = database;
    this.writes = writes;
    this.dialect = database.dialect();
    this.rowless = new RowlessReader(dialect);
  }

  // ---- messages with their deliveries and attempts ----

  /** The next application that has messages, deleted ones included. */
  @Nullable Id nextApplication(Id after) {
    return nextApplication("messages", after);
  }

  /** The next application that has messages in this table or partition. */
  @Nullable Id nextApplication(String table, Id after) {
    return database
        .snapshot(
            handle ->
                plans(handle)
                    .createQuery(
                        "SELECT application_id FROM <table> WHERE application_id > :after ORDER BY"
                            + " application_id LIMIT 1")
                    .define("table", table)
                    .bind("after", after)
                    .mapTo(Id.class)
                    .findOne())
        .orElse(null);
  }

  /** Whether a table or partition has more rows than that. */
  boolean hasMoreThan(String table, int rows) {
    return database.read(
        handle ->
            handle
                    .createQuery(
                        "SELECT count(*) FROM (SELECT 1 FROM <table> LIMIT :limit) AS first")
                    .define("table", table)
                    .bind("limit", rows + 1)
                    .mapTo(Integer.class)
                    .one()
                > rows);
  }

  /**
   * The given retention, overridden by the settings of the environment, and then of the
   * application.
   */
  RetentionOptions retentionOf(Id applicationId, RetentionOptions general) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT a.settings, v.settings AS environment_settings
                      FROM applications a LEFT JOIN environments v ON v.id = a.environment_id WHERE a.id = :id
                    """)
                .bind("id", applicationId)
                .map(Row.mapper(dialect, row -> overridden(general, row)))
                .findOne()
                .orElse(general));
  }

  private static RetentionOptions overridden(RetentionOptions general, Row row)
      throws SQLException {
    String environment = row.textOrNull("environment_settings");
    RetentionOptions wider =
        environment == null
            ? general
            : Retention.overridden(general, ApplicationSettings.decode(environment).retention());
    return Retention.overridden(
        wider, ApplicationSettings.decode(row.text("settings")).retention());
  }

  /**
   * Reads a window of messages of the application and deletes those that may be deleted.
   *
   * @param after messages accepted after this id
   * @param before messages accepted before this id
   */
  Step prune(Id applicationId, Id after, Id before, Cutoffs cutoffs, int limit) {
    Id latest = Id.floorOf(cutoffs.latestMs() + 1);
    List<Id> window =
        database.snapshot(
            handle ->
                plans(handle)
                    .createQuery(
                        "SELECT id FROM messages WHERE application_id = :app AND id > :after AND id"
                            + " < :before ORDER BY id LIMIT :limit")
                    .bind("app", applicationId)
                    .bind("after", after)
                    .bind("before", before.compareTo(latest) < 0 ? before : latest)
                    .bind("limit", limit)
                    .mapTo(Id.class)
                    .list());
    return pruneOf(applicationId, window, cutoffs, window.size() < limit ? null : window.getLast());
  }

  /**
   * The same for the messages that have deliveries with a row: reads a window of these deliveries.
   */
  Step pruneWithRows(Id applicationId, Id after, Id before, Cutoffs cutoffs, int limit) {
    record Stored(Id id, Id messageId) {}
    List<Stored> window =
        database.snapshot(
            handle ->
                plans(handle)
                    .createQuery(
                        "SELECT id, message_id FROM deliveries WHERE application_id = :app AND id >"
                            + " :after AND id < :before ORDER BY id LIMIT :limit")
                    .bind("app", applicationId)
                    .bind("after", after)
                    .bind("before", before)
                    .bind("limit", limit)
                    .map(Row.mapper(dialect, row -> new Stored(row.id("id"), row.id("message_id"))))
                    .list());
    List<Id> messages = window.stream().map(Stored::messageId).distinct().sorted().toList();
    return pruneOf(
        applicationId, messages, cutoffs, window.size() < limit ? null : window.getLast().id());
  }

  /** Deletes those of these messages that may be deleted; they are in id order. */
  private Step pruneOf(Id applicationId, List<Id> messages, Cutoffs cutoffs, @Nullable Id last) {
    if (messages.isEmpty()) {
      return new Step(null, 0, 0, 0);
    }
    List<Id> candidates =
        database.snapshot(
            handle -> {
              List<Id> free = free(plans(handle), applicationId, messages);
              return prunable(free, endings(handle, applicationId, free), cutoffs);
            });
    Step removed =
        candidates.isEmpty()
            ? new Step(null, 0, 0, 0)
            : writes.timed(
                () -> database.write(handle -> remove(handle, applicationId, candidates, cutoffs)));
    return new Step(last, removed.messages(), removed.deliveries(), removed.attempts());
  }

  /**
   * Those that no lease batch names, and never will again. As long as one does, an instance may
   * still end a lease by inserting the first attempt: it must find the one that ended it before.
   */
  private List<Id> free(Handle handle, Id applicationId, List<Id> messages) {
    Set<Id> leased =
        rowless.leasedOf(handle, applicationId).stream()
            .map(LeaseBatch.Item::messageId)
            .collect(toSet());
    return messages.stream().filter(message -> !leased.contains(message)).toList();
  }

  private static List<Id> prunable(
      List<Id> messages, Map<Id, List<Ending>> endings, Cutoffs cutoffs) {
    List<Id> prunable = new ArrayList<>();
    for (Id message : messages) {
      List<Ending> all = endings.getOrDefault(message, List.of());
      boolean may =
          all.isEmpty()
              ? message.epochMs() <= cutoffs.unroutedMs()
              : all.stream().allMatch(ending -> ending.mayGo(cutoffs));
      if (may) {
        prunable.add(message);
      }
    }
    return prunable;
  }

  private Step remove(Handle handle, Id applicationId, List<Id> candidates, Cutoffs cutoffs) {
    plans(handle);
    // The locks of the messages keep other pruners out; new deliveries of them are seen by the
    // read after it.
    List<Id> locked =
        chunked(
            candidates,
            ids ->
                handle
                    .createQuery(
                        "SELECT id FROM messages WHERE application_id = :app AND id IN (<ids>)"
                            + " ORDER BY id "
                            + skipLocked())
                    .bind("app", applicationId)
                    .bindList("ids", ids)
                    .mapTo(Id.class)
                    .list());
    if (locked.isEmpty()) {
      return new Step(null, 0, 0, 0);
    }
    Map<Id, List<Ending>> endings = endings(handle, applicationId, locked);
    Set<Id> held = new HashSet<>(lockDeliveries(handle, applicationId, locked, endings));
    List<Id> messages = new ArrayList<>();
    List<Id> deliveries = new ArrayList<>();
    for (Id message : prunable(locked, endings, cutoffs)) {
      List<Ending> own = endings.getOrDefault(message, List.of());
      if (own.stream().allMatch(ending -> !ending.stored() || held.contains(ending.id()))) {
        messages.add(message);
        own.forEach(ending -> deliveries.add(ending.id()));
      }
    }
    int attempts =
        delete(
            handle,
            "DELETE FROM attempts WHERE application_id = :app AND delivery_id IN (<ids>)",
            applicationId,
            deliveries);
    delete(
        handle,
        "DELETE FROM deliveries WHERE application_id = :app AND id IN (<ids>)",
        applicationId,
        deliveries);
    EventIdStore.delete(handle, applicationId, messages);
    delete(
        handle,
        "DELETE FROM messages WHERE application_id = :app AND id IN (<ids>)",
        applicationId,
        messages);
    return new Step(null, messages.size(), deliveries.size(), attempts);
  }

  /**
   * Those deliveries that no other transaction has locked and that are unchanged since they were
   * read.
   */
  private List<Id> lockDeliveries(
      Handle handle, Id applicationId, List<Id> messages, Map<Id, List<Ending>> endings) {
    List<Id> wanted = new ArrayList<>();
    for (Id message : messages) {
      endings.getOrDefault(message, List.of()).stream()
          .filter(Ending::stored)
          .forEach(ending -> wanted.add(ending.id()));
    }
    wanted.sort(null);
    return chunked(
        wanted,
        ids ->
            handle
                .createQuery(
                    StoredCodes.sql(
                            "SELECT id FROM deliveries WHERE application_id = :app AND id IN"
                                + " (<ids>) AND status IN ({DELIVERED}, {DEAD_LETTER}, {CANCELED})"
                                + " ORDER BY id ")
                        + skipLocked())
                .bind("app", applicationId)
                .bindList("ids", ids)
                .mapTo(Id.class)
                .list());
  }

  /** All deliveries of these messages, which are in id order. */
  private Map<Id, List<Ending>> endings(Handle handle, Id applicationId, List<Id> messages) {
    Map<Id, List<Ending>> byMessage = new HashMap<>();
    if (messages.isEmpty()) {
      return byMessage;
    }
    for (Rowless one : rowless.ofMessages(handle, applicationId, messages)) {
      byMessage.computeIfAbsent(one.messageId(), _ -> new ArrayList<>()).add(Ending.of(one));
    }
    switch (dialect) {
      // Differs because the key in PostgreSQL starts with the application: its deliveries of
      // that range are adjacent.
      case POSTGRES ->
          collect(handle, applicationId, messages.getFirst(), messages.getLast(), false, byMessage);
      case SQLITE ->
          messages.forEach(
              message -> collect(handle, applicationId, message, message, true, byMessage));
    }
    return byMessage;
  }

  private void collect(
      Handle handle, Id applicationId, Id from, Id to, boolean ofOne, Map<Id, List<Ending>> into) {
    Query query =
        handle
            .createQuery(
                """
                SELECT id, message_id, status, coalesce(dead_at, finished_at, created_at) AS ended FROM deliveries
                 WHERE application_id = :app AND id >= :first AND id <= :last
                """
                    + (ofOne ? " AND message_id = :message" : ""))
            .bind("app", applicationId)
            .bind("first", DeliveryIds.first(from))
            .bind("last", DeliveryIds.last(to));
    if (ofOne) {
      query.bind("message", from);
    }
    query
        .map(
            Row.mapper(
                dialect,
                row ->
                    new Ending(
                        row.id("id"),
                        row.id("message_id"),
                        DeliveryStatus.of(row.integer("status")),
                        row.number("ended"),
                        true)))
        .forEach(
            ending -> into.computeIfAbsent(ending.messageId(), _ -> new ArrayList<>()).add(ending));
  }

  private static int delete(Handle handle, String sql, Id applicationId, List<Id> ids) {
    int deleted = 0;
    for (int from = 0; from < ids.size(); from += CHUNK) {
      List<Id> part = ids.subList(from, Math.min(ids.size(), from + CHUNK));
      deleted +=
          handle.createUpdate(sql).bind("app", applicationId).bindList("ids", part).execute();
    }
    return deleted;
  }

  private interface Select {
    List<Id> of(List<Id> ids);
  }

  private static List<Id> chunked(List<Id> ids, Select select) {
    List<Id> all = new ArrayList<>();
    for (int from = 0; from < ids.size(); from += CHUNK) {
      all.addAll(select.of(ids.subList(from, Math.min(ids.size(), from + CHUNK))));
    }
    return all;
  }

  // ---- payloads past their own expiry ----

  /**
   * The position of the scan that deletes expired payloads.
   *
   * @param done whether the scan is complete
   */
  record Expiry(long atMs, Id id, boolean done, int forgotten) {
    static final Expiry START = new Expiry(Long.MIN_VALUE, Id.ZERO, false, 0);
  }

  private record Expiring(Id applicationId, Id id, long expiresAtMs) {}

  /**
   * Deletes payloads that have expired and whose deliveries are all finished (engine rule 27). One
   * without a row has finished if no lease batch names it.
   */
  Expiry forgetPayloads(Expiry after, long nowMs, int limit) {
    List<Expiring> window =
        database.snapshot(
            handle ->
                plans(handle)
                    .createQuery(
                        """
                        SELECT application_id, id, expires_at FROM messages
                         WHERE expires_at IS NOT NULL AND expires_at <= :now AND (expires_at, id) > (:at, :id)
                         ORDER BY expires_at, id LIMIT :limit
                        """)
                    .bind("now", nowMs)
                    .bind("at", after.atMs())
                    .bind("id", after.id())
                    .bind("limit", limit)
                    .map(
                        Row.mapper(
                            dialect,
                            row ->
                                new Expiring(
                                    row.id("application_id"),
                                    row.id("id"),
                                    row.number("expires_at"))))
                    .list());
    if (window.isEmpty()) {
      return new Expiry(after.atMs(), after.id(), true, 0);
    }
    int forgotten =
        database.write(
            handle -> {
              plans(handle);
              Set<Id> free = new HashSet<>();
              window.stream()
                  .collect(groupingBy(Expiring::applicationId, mapping(Expiring::id, toList())))
                  .forEach((app, ids) -> free.addAll(free(handle, app, ids)));
              return window.stream()
                  .filter(one -> free.contains(one.id()))
                  .mapToInt(one -> forget(handle, one))
                  .sum();
            });
    Expiring last = window.getLast();
    return new Expiry(last.expiresAtMs(), last.id(), window.size() < limit, forgotten);
  }

  private static int forget(Handle handle, Expiring one) {
    int forgotten =
        handle
            .createUpdate(
                StoredCodes.sql(
                    """
                    UPDATE messages SET payload = NULL, expires_at = NULL
                     WHERE application_id = :app AND id = :message AND expires_at IS NOT NULL
                       AND NOT EXISTS (SELECT 1 FROM deliveries d
                         WHERE d.application_id = :app AND d.id >= :first AND d.id <= :last AND d.message_id = :message AND d.status IN ({PENDING}, {SENDING}, {FAILED}))
                    """))
            .bind("app", one.applicationId())
            .bind("message", one.id())
            .bind("first", DeliveryIds.first(one.id()))
            .bind("last", DeliveryIds.last(one.id()))
            .execute();
    if (forgotten == 1) {
      handle
          .createUpdate(
              """
              UPDATE deliveries SET body = NULL
               WHERE application_id = :app AND id >= :first AND id <= :last AND message_id = :message AND body IS NOT NULL
              """)
          .bind("app", one.applicationId())
          .bind("message", one.id())
          .bind("first", DeliveryIds.first(one.id()))
          .bind("last", DeliveryIds.last(one.id()))
          .execute();
    }
    return forgotten;
  }

  // ---- idempotency keys and secrets ----

  /**
   * The result of one step that deletes expired idempotency keys.
   *
   * @param next where the next step starts; -1 if there are no more keys
   */
  record KeyStep(long next, int removed) {}

  /**
   * Deletes expired keys from one range of idempotency_long, in physical order: no index is needed
   * for that. The other keys go with their generation ({@link KeyRotation}).
   */
  KeyStep removeKeys(long from, long nowMs) {
    return switch (dialect) {
      case POSTGRES -> database.write(handle -> removeKeyPages(handle, from, nowMs));
      case SQLITE -> removeKeyRows(from, nowMs);
    };
  }

  private static KeyStep removeKeyPages(Handle handle, long from, long nowMs) {
    plansOfPostgres(handle);
    long pages =
        handle
            .createQuery(
                "SELECT pg_relation_size('idempotency_long') / current_setting('block_size')::int")
            .mapTo(Long.class)
            .one();
    if (from >= pages) {
      return new KeyStep(-1, 0);
    }
    int removed =
        handle
            .createUpdate(
                """
                DELETE FROM idempotency_long WHERE ctid = ANY (ARRAY(
                  SELECT ctid FROM idempotency_long
                   WHERE ctid >= (:from)::tid AND ctid < (:to)::tid AND expires_at <= :now FOR UPDATE SKIP LOCKED))
                """)
            .bind("from", "(" + from + ",0)")
            .bind("to", "(" + (from + KEY_PAGES) + ",0)")
            .bind("now", nowMs)
            .execute();
    return new KeyStep(from + KEY_PAGES, removed);
  }

  private record KeyRow(long rowid, long expiresAtMs) {}

  private KeyStep removeKeyRows(long from, long nowMs) {
    List<KeyRow> rows =
        database.read(
            handle ->
                handle
                    .createQuery(
                        "SELECT rowid AS place, expires_at FROM idempotency_long WHERE rowid >="
                            + " :from ORDER BY rowid LIMIT :limit")
                    .bind("from", from)
                    .bind("limit", KEY_ROWS)
                    .map(
                        Row.mapper(
                            dialect,
                            row -> new KeyRow(row.number("place"), row.number("expires_at"))))
                    .list());
    List<Long> expired =
        rows.stream().filter(row -> row.expiresAtMs() <= nowMs).map(KeyRow::rowid).toList();
    int removed =
        expired.isEmpty()
            ? 0
            : database.write(
                handle ->
                    handle
                        .createUpdate(
                            "DELETE FROM idempotency_long WHERE rowid IN (<places>) AND"
                                + " expires_at <= :now")
                        .bindList("places", expired)
                        .bind("now", nowMs)
                        .execute());
    // Rows are in the order of their first use: after a range without expired ones there are
    // hardly any.
    boolean done = rows.size() < KEY_ROWS || expired.isEmpty();
    return new KeyStep(done ? -1 : rows.getLast().rowid() + 1, removed);
  }

  /** Removes signing secrets whose overlap after a rotation is over. */
  int removeSecrets(long nowMs, int limit) {
    return database.write(
        handle ->
            plans(handle)
                .createUpdate(
                    "DELETE FROM signing_secrets WHERE id IN (SELECT id FROM signing_secrets WHERE"
                        + " expires_at IS NOT NULL AND expires_at <= :now LIMIT :limit "
                        + skipLocked()
                        + ")")
                .bind("now", nowMs)
                .bind("limit", limit)
                .execute());
  }

  int removeCallAnswers(long nowMs, int limit) {
    return database.write(
        handle ->
            plans(handle)
                .createUpdate(
                    "DELETE FROM call_answers WHERE key IN (SELECT key FROM call_answers WHERE"
                        + " expires_at <= :now LIMIT :limit "
                        + skipLocked()
                        + ")")
                .bind("now", nowMs)
                .bind("limit", limit)
                .execute());
  }

  // ---- dialect ----

  /** A plan made before the tables were analyzed must not scan them. */
  private Handle plans(Handle handle) {
    if (dialect == Dialect.POSTGRES) {
      plansOfPostgres(handle);
    }
    return handle;
  }

  private static void plansOfPostgres(Handle handle) {
    handle.execute("SET LOCAL enable_seqscan = off");
  }

  private String skipLocked() {
    return switch (dialect) {
      case SQLITE -> "";
      case POSTGRES -> "FOR UPDATE SKIP LOCKED";
    };
  }
}
