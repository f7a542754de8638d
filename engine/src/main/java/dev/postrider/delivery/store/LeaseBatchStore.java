package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.storage.postgres.BinaryArray;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.statement.Query;

/**
 * Rows of lease_batches, read to find which of their deliveries are still being sent. A delivery
 * leased at insert has the status sending and no lease of its own; a lease that has ended never
 * comes back, so a row without active leases may be deleted at any time.
 */
final class LeaseBatchStore {
  /** Maximum number of rows read at once: never more batches are in progress. */
  private static final int MAX_ROWS = 2_000;

  private static final int ROWS_PER_LOOK = 64;

  /** Below the maximum number of bind parameters of SQLite. */
  private static final int CHILDREN_PER_QUERY = 8_000;

  private static final String OPEN =
      "d.application_id, d.id, d.lane_id, d.lease_version, d.leased_by, d.rescues, "
          + "d.attempts - d.schedule_from AS failed, d.message_id, d.manual OR d.by_hand AS manual";

  private final Dialect dialect;

  LeaseBatchStore(Dialect dialect) {
    this.dialect = dialect;
  }

  private record Stored(Id instance, Id id, List<LeaseBatch.Item> children) {}

  /** The leases in these rows that are still active, and the rows that have no active lease. */
  record Left(List<LeaseStore.OpenLease> open, List<LeaseBatchId> empty) {}

  /** The primary key of a row of lease_batches. */
  record LeaseBatchId(Id instance, Id id) {}

  /** Leases at insert that have expired or that one of these instances holds. */
  Left ended(Handle handle, Collection<Id> instances, long nowMs, int limit) {
    List<Stored> rows = new ArrayList<>();
    if (!instances.isEmpty()) {
      rows.addAll(of(handle, instances));
    }
    Set<Id> seen = new HashSet<>();
    rows.forEach(row -> seen.add(row.id()));
    for (Stored row :
        list(
            handle
                .createQuery(select("lease_until < :now ORDER BY lease_until"))
                .bind("now", nowMs))) {
      if (seen.add(row.id())) {
        rows.add(row);
      }
    }
    return left(handle, rows, limit);
  }

  Left leftOf(Handle handle, Id instance, int limit) {
    return left(handle, of(handle, List.of(instance)), limit);
  }

  /** All leases at insert, of all holders. */
  List<LeaseStore.OpenLease> all(Handle handle, int limit) {
    return left(handle, list(handle.createQuery(select("true"))), limit).open();
  }

  private List<Stored> of(Handle handle, Collection<Id> instances) {
    return list(
        handle
            .createQuery(select("instance_id IN (<instances>)"))
            .bindList("instances", List.copyOf(instances)));
  }

  private static String select(String where) {
    return "SELECT instance_id, id, items FROM lease_batches WHERE " + where + " LIMIT " + MAX_ROWS;
  }

  private List<Stored> list(Query query) {
    return query
        .map(
            Row.mapper(
                dialect,
                row ->
                    new Stored(
                        row.id("instance_id"),
                        row.id("id"),
                        LeaseBatch.decode(row.bytes("items")))))
        .list();
  }

  private Left left(Handle handle, List<Stored> rows, int limit) {
    List<LeaseStore.OpenLease> open = new ArrayList<>();
    List<LeaseBatchId> empty = new ArrayList<>();
    for (int from = 0; from < rows.size() && open.size() < limit; from += ROWS_PER_LOOK) {
      List<Stored> some = rows.subList(from, Math.min(rows.size(), from + ROWS_PER_LOOK));
      List<LeaseStore.OpenLease> found = stillSent(handle, some);
      Set<Id> sent = new HashSet<>();
      found.forEach(lease -> sent.add(lease.lease().deliveryId()));
      for (Stored row : some) {
        if (row.children().stream().noneMatch(child -> sent.contains(child.deliveryId()))) {
          empty.add(new LeaseBatchId(row.instance(), row.id()));
        }
      }
      open.addAll(found);
    }
    return new Left(open, empty);
  }

  private List<LeaseStore.OpenLease> stillSent(Handle handle, List<Stored> rows) {
    List<LeaseBatch.Item> children = rows.stream().flatMap(row -> row.children().stream()).toList();
    List<LeaseStore.OpenLease> found = new ArrayList<>();
    for (int from = 0; from < children.size(); from += CHILDREN_PER_QUERY) {
      int to = Math.min(children.size(), from + CHILDREN_PER_QUERY);
      found.addAll(lookAt(handle, children.subList(from, to)));
    }
    return found;
  }

  private List<LeaseStore.OpenLease> lookAt(Handle handle, List<LeaseBatch.Item> children) {
    List<Id> ids = children.stream().map(LeaseBatch.Item::deliveryId).toList();
    Query query =
        switch (dialect) {
          // One probe of the primary key for each, independent of the planner's estimates.
          case POSTGRES ->
              handle
                  .createQuery(
                      "SELECT d.* FROM unnest(:apps::uuid[], :ids::uuid[]) AS c(app, id) CROSS JOIN"
                          + " LATERAL (SELECT "
                          + OPEN
                          + " FROM deliveries d WHERE d.application_id = c.app AND d.id = c.id"
                          + DeliveryStatus.sql(
                              " AND d.status = {SENDING} AND d.lease_until IS NULL OFFSET 0) d"))
                  .bind("apps", ids(children.stream().map(LeaseBatch.Item::applicationId).toList()))
                  .bind("ids", ids(ids));
          case SQLITE ->
              handle
                  .createQuery(
                      "SELECT "
                          + OPEN
                          + DeliveryStatus.sql(
                              " FROM deliveries d WHERE d.id IN (<ids>) AND d.status = {SENDING} AND")
                          + " +d.lease_until IS NULL")
                  .bindList("ids", ids);
        };
    return query.map(Row.mapper(dialect, LeaseStore::openLease)).list();
  }

  private static Argument ids(List<Id> ids) {
    return (position, statement, _) -> statement.setObject(position, BinaryArray.ids(ids));
  }

  static void delete(Database database, Id instance, Collection<Id> births) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    "DELETE FROM lease_batches WHERE instance_id = :instance AND id IN (<ids>)")
                .bind("instance", instance)
                .bindList("ids", List.copyOf(births))
                .execute());
  }
}
