package dev.postrider.delivery.store;

import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Targets;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.storage.postgres.BinaryArray;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Rows of lease_batches: which of their deliveries have no attempt yet. An item whose message does
 * not exist was never written, because its idempotency key was taken or its routing stale; what a
 * batch names is not pruned, so that a missing message means nothing else.
 */
final class LeaseBatchStore {
  /** Rows read at once. Beside endpoints that do not respond there are thousands of them. */
  private static final int PAGE = 128;

  /** Items of one query on SQLite, with three parameters each. */
  private static final int ITEMS_PER_QUERY = 500;

  /** Scalar subqueries: one search by key for each, independent of the planner's estimates. */
  private static final String UNFINISHED =
      """
      SELECT c.delivery FROM <items>
       WHERE (SELECT true FROM messages m WHERE m.application_id = c.app AND m.id = c.message)
         AND (SELECT a.number FROM attempts a WHERE a.application_id = c.app AND a.delivery_id = c.delivery AND a.number = 1) IS NULL
      """;

  private final Dialect dialect;

  LeaseBatchStore(Dialect dialect) {
    this.dialect = dialect;
  }

  private record Stored(LeaseBatch.Key key, long leaseUntilMs, List<LeaseBatch.Item> items) {}

  /**
   * The leases in some rows that are still active, and the rows that have no active lease.
   *
   * @param next where the next page begins; null after the last one
   */
  record Page(
      List<RescueStore.OpenLease> open, List<LeaseBatch.Key> over, @Nullable Position next) {}

  /** The last row of a page. */
  record Position(long leaseUntilMs, Id id) {
    static final Position START = new Position(Long.MIN_VALUE, Id.ZERO);
  }

  /** Leases without rows that this instance holds. */
  Page of(Handle handle, Id instance, Position after) throws SQLException {
    return page(
        handle,
        list(
            handle
                .createQuery(select("instance_id = :instance AND id > :id ORDER BY id"))
                .bind("instance", instance)
                .bind("id", after.id())
                .bind("limit", PAGE)),
        Set.of());
  }

  /** Leases without rows that have expired, except those of some instances. */
  Page expired(Handle handle, long nowMs, Collection<Id> except, Position after)
      throws SQLException {
    return page(
        handle,
        list(
            handle
                .createQuery(
                    select(
                        "lease_until < :now AND lease_until >= :until AND (lease_until > :until OR"
                            + " id > :id) ORDER BY lease_until, id"))
                .bind("now", nowMs)
                .bind("until", after.leaseUntilMs())
                .bind("id", after.id())
                .bind("limit", PAGE)),
        except);
  }

  private static String select(String where) {
    return "SELECT instance_id, id, lease_until, items FROM lease_batches WHERE "
        + where
        + " LIMIT :limit";
  }

  private Page page(Handle handle, List<Stored> rows, Collection<Id> except) throws SQLException {
    List<RescueStore.OpenLease> open = new ArrayList<>();
    List<LeaseBatch.Key> over = new ArrayList<>();
    sort(
        handle,
        rows.stream().filter(row -> !except.contains(row.key().instance())).toList(),
        open,
        over);
    if (rows.size() < PAGE) {
      return new Page(open, over, null);
    }
    Stored last = rows.getLast();
    return new Page(open, over, new Position(last.leaseUntilMs(), last.key().id()));
  }

  private List<Stored> list(Query query) {
    return query
        .map(
            Row.mapper(
                dialect,
                row ->
                    new Stored(
                        new LeaseBatch.Key(row.id("instance_id"), row.id("id")),
                        row.number("lease_until"),
                        LeaseBatch.decode(row.bytes("items")))))
        .list();
  }

  /** Adds the active leases of these rows to the one list, the rows without any to the other. */
  private void sort(
      Handle handle, List<Stored> rows, List<RescueStore.OpenLease> open, List<LeaseBatch.Key> over)
      throws SQLException {
    Set<Id> unfinished = unfinished(handle, rows);
    for (Stored row : rows) {
      int before = open.size();
      for (LeaseBatch.Item item : row.items()) {
        if (unfinished.contains(item.deliveryId())) {
          open.add(openLease(row.key(), item));
        }
      }
      if (open.size() == before) {
        over.add(row.key());
      }
    }
  }

  private static RescueStore.OpenLease openLease(LeaseBatch.Key key, LeaseBatch.Item item) {
    return new RescueStore.OpenLease(
        new LeaseRef(
            item.applicationId(), item.messageId(), item.deliveryId(), item.laneId(), 1, key),
        key.instance(),
        0,
        0,
        false);
  }

  private Set<Id> unfinished(Handle handle, List<Stored> rows) throws SQLException {
    List<LeaseBatch.Item> items = rows.stream().flatMap(row -> row.items().stream()).toList();
    Set<Id> found = new HashSet<>();
    int step = dialect == Dialect.SQLITE ? ITEMS_PER_QUERY : Math.max(1, items.size());
    for (int from = 0; from < items.size(); from += step) {
      lookAt(handle, items.subList(from, Math.min(items.size(), from + step)), found);
    }
    return found;
  }

  private void lookAt(Handle handle, List<LeaseBatch.Item> items, Set<Id> found)
      throws SQLException {
    String table =
        switch (dialect) {
          case POSTGRES -> "unnest(?::uuid[], ?::uuid[], ?::uuid[]) AS c (app, message, delivery)";
          case SQLITE ->
              "(SELECT column1 AS app, column2 AS message, column3 AS delivery FROM (VALUES "
                  + String.join(", ", Collections.nCopies(items.size(), "(?, ?, ?)"))
                  + ")) AS c";
        };
    try (PreparedStatement query =
        handle.getConnection().prepareStatement(UNFINISHED.replace("<items>", table))) {
      switch (dialect) {
        case POSTGRES -> {
          query.setObject(1, ids(items.stream().map(LeaseBatch.Item::applicationId).toList()));
          query.setObject(2, ids(items.stream().map(LeaseBatch.Item::messageId).toList()));
          query.setObject(3, ids(items.stream().map(LeaseBatch.Item::deliveryId).toList()));
        }
        case SQLITE -> {
          int at = 1;
          for (LeaseBatch.Item item : items) {
            dialect.bind(query, at++, item.applicationId());
            dialect.bind(query, at++, item.messageId());
            dialect.bind(query, at++, item.deliveryId());
          }
        }
      }
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          found.add(dialect.readPresent(row, 1));
        }
      }
    }
  }

  private static BinaryArray ids(List<Id> ids) {
    return BinaryArray.ids(ids);
  }

  /**
   * Of these leases without rows, those that are still held, by delivery. Their messages are locked
   * first, so that a cancel or an expunge comes before or after the end of the lease, and then
   * their batches, so that none is deleted meanwhile.
   */
  Map<Id, LeaseStore.HeldLease> lockHeld(Handle handle, Collection<LeaseRef> leases) {
    Map<Id, LeaseStore.HeldLease> held = new HashMap<>();
    if (leases.isEmpty()) {
      return held;
    }
    Set<Id> applications = new TreeSet<>();
    Set<Id> ids = new TreeSet<>();
    for (LeaseRef lease : leases) {
      applications.add(lease.applicationId());
      ids.add(lease.deliveryId());
    }
    Map<Id, Content> contents = lockMessages(handle, applications, leases);
    Set<LeaseBatch.Key> batches = lockBatches(handle, leases);
    Set<Id> ended =
        new HashSet<>(
            handle
                .createQuery(
                    "SELECT delivery_id FROM attempts WHERE application_id IN (<apps>) AND"
                        + " delivery_id IN (<ids>) AND number = 1")
                .bindList("apps", List.copyOf(applications))
                .bindList("ids", List.copyOf(ids))
                .mapTo(Id.class)
                .list());
    for (LeaseRef lease : leases) {
      Content content = contents.get(lease.messageId());
      if (content != null
          && batches.contains(lease.batch())
          && !ended.contains(lease.deliveryId())) {
        held.put(
            lease.deliveryId(),
            new LeaseStore.HeldLease(
                lease.deliveryId(),
                lease.leaseVersion(),
                content.canceled().contains(lease.laneId()),
                content.gone()));
      }
    }
    return held;
  }

  private record Content(Id messageId, boolean gone, List<Id> canceled) {}

  private Map<Id, Content> lockMessages(
      Handle handle, Set<Id> applications, Collection<LeaseRef> leases) {
    Set<Id> messages = new TreeSet<>();
    leases.forEach(lease -> messages.add(lease.messageId()));
    Map<Id, Content> contents = new HashMap<>();
    handle
        .createQuery(
            "SELECT id, payload IS NULL AS gone, canceled FROM messages WHERE application_id IN"
                + " (<apps>) AND id IN (<ids>) ORDER BY id "
                + dialect.lock("FOR SHARE"))
        .bindList("apps", List.copyOf(applications))
        .bindList("ids", List.copyOf(messages))
        .map(
            Row.mapper(
                dialect,
                row ->
                    new Content(
                        row.id("id"),
                        row.flag("gone"),
                        Targets.decode(row.bytesOrNull("canceled")))))
        .forEach(content -> contents.put(content.messageId(), content));
    return contents;
  }

  private Set<LeaseBatch.Key> lockBatches(Handle handle, Collection<LeaseRef> leases) {
    Set<Id> instances = new HashSet<>();
    Set<Id> ids = new HashSet<>();
    for (LeaseRef lease : leases) {
      LeaseBatch.Key key = lease.batch();
      if (key != null) {
        instances.add(key.instance());
        ids.add(key.id());
      }
    }
    return new HashSet<>(
        handle
            .createQuery(
                "SELECT instance_id, id FROM lease_batches WHERE instance_id IN (<instances>) AND"
                    + " id IN (<ids>) ORDER BY instance_id, id "
                    + dialect.lock("FOR KEY SHARE"))
            .bindList("instances", List.copyOf(instances))
            .bindList("ids", List.copyOf(ids))
            .map(
                Row.mapper(dialect, row -> new LeaseBatch.Key(row.id("instance_id"), row.id("id"))))
            .list());
  }

  /** Deletes rows whose leases have all been counted as ended by their instance. */
  static int delete(Handle handle, Id instance, Collection<Id> ids) {
    return handle
        .createUpdate("DELETE FROM lease_batches WHERE instance_id = :instance AND id IN (<ids>)")
        .bind("instance", instance)
        .bindList("ids", List.copyOf(ids))
        .execute();
  }

  /**
   * Deletes those of these rows that have no active lease. Locked, then read again: a commit that
   * is run again after its result was lost adds messages to a row that is already there.
   */
  void deleteOver(Database database, List<LeaseBatch.Key> keys) {
    database.write(
        handle -> {
          Set<Id> instances = new TreeSet<>();
          Set<Id> ids = new TreeSet<>();
          keys.forEach(
              key -> {
                instances.add(key.instance());
                ids.add(key.id());
              });
          List<Stored> rows =
              list(
                  handle
                      .createQuery(
                          "SELECT instance_id, id, lease_until, items FROM lease_batches WHERE"
                              + " instance_id IN (<instances>) AND id IN (<ids>) ORDER BY"
                              + " instance_id, id "
                              + dialect.lock("FOR UPDATE"))
                      .bindList("instances", List.copyOf(instances))
                      .bindList("ids", List.copyOf(ids)));
          int deleted = 0;
          List<LeaseBatch.Key> over = new ArrayList<>();
          sort(handle, rows, new ArrayList<>(), over);
          for (LeaseBatch.Key key : over) {
            deleted += delete(handle, key.instance(), List.of(key.id()));
          }
          return deleted;
        });
  }
}
