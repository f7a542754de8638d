package dev.postrider.delivery.accept;

import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.store.LanePlace;
import dev.postrider.delivery.store.LanePlaceStore;
import dev.postrider.id.Id;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.message.TextList;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.postgres.BinaryArray;
import dev.postrider.storage.postgres.Replication;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Inserts a batch of messages on PostgreSQL with one statement, in one round trip. */
final class PostgresAccept implements AcceptStatements {

  /**
   * The routing version and the event id are looked up by scalar subqueries: always one index probe
   * per row, independent of the planner's estimates of table sizes. A racing duplicate of an event
   * id fails the statement by its unique index, never half-written; the batch is then split. A
   * retry after a commit with an unknown result first reads the existing rows; should the first run
   * commit in between, the retry fails on its rows and the split finds each of them committed.
   * Reading in every statement would cost one search per message. A retry of a part of a batch
   * locks the row of lease_batches if it is there, so that nobody deletes it who does not see the
   * messages of this part.
   */
  private static final String TEMPLATE =
      """
      WITH i AS (
        SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::int4[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bytea[],
                             ?::int8[], ?::bytea[], ?::uuid[], ?::uuid[], ?::int8[], ?::uuid[], ?::bytea[])
          AS t(app, id, version, type, event_id, channels, tags, content_type, headers, payload, expires_at, targets, key, body, key_until, first, batch)
      ), g AS (
        SELECT 1 FROM key_generations WHERE slot = {slot} AND number = ? AND state = 1
      ), taken AS (
        SELECT coalesce(first, id) AS first FROM i
         WHERE CASE WHEN event_id IS NULL THEN false
                    ELSE (SELECT x.message_id FROM event_ids x WHERE x.application_id = i.app AND x.event_id = i.event_id) IS NOT NULL END
      ), fresh AS (
        SELECT i.* FROM i
         WHERE EXISTS (SELECT 1 FROM g)
           AND i.version = (SELECT a.routing_version FROM applications a WHERE a.id = i.app)
           AND coalesce(i.first, i.id) NOT IN (SELECT first FROM taken)
      ), k AS (
        INSERT INTO {table} AS p (application_id, key, body, message_id, expires_at, batch)
        SELECT app, key, body, id, coalesce(key_until, ?), batch FROM fresh
         WHERE key IS NOT NULL AND coalesce(first, id) = id
           AND {others}
         ORDER BY app, key
        ON CONFLICT (application_id, key) DO UPDATE
           SET body = EXCLUDED.body, message_id = EXCLUDED.message_id, expires_at = EXCLUDED.expires_at, batch = EXCLUDED.batch
         WHERE p.expires_at <= ?
        RETURNING {returned}
      ), m AS (
        INSERT INTO messages (application_id, id, event_type, event_id, channels, tags, content_type, headers, payload, expires_at, targets)
        SELECT app, id, type, event_id, channels, tags, content_type, headers, payload, expires_at, targets
          FROM fresh WHERE key IS NULL OR coalesce(first, id) IN (SELECT message_id FROM k)
        RETURNING application_id, id, event_id
      ), e AS (
        INSERT INTO event_ids (application_id, event_id, message_id)
        SELECT application_id, event_id, id FROM m WHERE event_id IS NOT NULL ORDER BY application_id, event_id
      ), d AS (
        INSERT INTO deliveries (application_id, id, message_id, lane_id, status, lease_version, leased_by, lease_until, next_attempt_at, order_at, lane_seq, created_at)
        SELECT app, id, message_id, lane_id, leased, leased, CASE leased WHEN 1 THEN ?::uuid END, until, next_at, order_at, seq, ?
          FROM unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::int4[], ?::int8[], ?::int8[], ?::int8[], ?::int8[])
            AS t(app, id, message_id, lane_id, leased, until, next_at, order_at, seq)
         WHERE (message_id IN (SELECT id FROM m)) IS TRUE
      ), b AS (
        INSERT INTO lease_batches (instance_id, id, lease_until, items)
        SELECT * FROM (SELECT ?::uuid, ?::uuid, ?::int8, ?::bytea) AS t(instance, id, until, items)
         WHERE id IS NOT NULL AND EXISTS (SELECT 1 FROM g)
        ON CONFLICT (instance_id, id) DO UPDATE SET lease_until = EXCLUDED.lease_until
      )
      SELECT CASE WHEN EXISTS (SELECT 1 FROM g) THEN (SELECT count(*) FROM m) ELSE -1 END
      """;

  /** One index probe for each key and table, as above. */
  private static final String OTHER =
      "(SELECT x.message_id FROM {other} x WHERE x.application_id = fresh.app AND x.key = fresh.key"
          + " AND x.expires_at > ?) IS NULL";

  /** The copy of a key that outlives its generation; an older copy has expired. */
  private static final String WITH_COPIES =
      """
      ), l AS (
        INSERT INTO idempotency_long (application_id, key, body, message_id, expires_at, batch)
        SELECT application_id, key, body, message_id, expires_at, batch FROM k WHERE expires_at > ?
        ON CONFLICT (application_id, key) DO UPDATE
           SET body = EXCLUDED.body, message_id = EXCLUDED.message_id, expires_at = EXCLUDED.expires_at, batch = EXCLUDED.batch
      ), m AS (\
      """;

  /** By slot: the statement for keys that all expire before their generation is dropped. */
  static final List<String> INSERT =
      KeyTables.forEachSlot(TEMPLATE.replace("{returned}", "message_id"), OTHER);

  /** By slot: the statement if some expire later. */
  static final List<String> INSERT_WITH_COPIES =
      KeyTables.forEachSlot(
          TEMPLATE.replace("{returned}", KeyTables.COLUMNS).replace("), m AS (", WITH_COPIES),
          OTHER);

  /** Scalar subqueries for the same reason; one round trip for all. */
  static final String LOOK_UP =
      """
      SELECT (SELECT true FROM messages m WHERE m.application_id = i.app AND m.id = i.id),
             (SELECT p.body FROM idempotency p WHERE p.application_id = i.app AND p.key = i.key AND p.expires_at > ? LIMIT 1),
             (SELECT p.message_id FROM idempotency p WHERE p.application_id = i.app AND p.key = i.key AND p.expires_at > ? LIMIT 1),
             (SELECT p.batch FROM idempotency p WHERE p.application_id = i.app AND p.key = i.key AND p.expires_at > ? LIMIT 1),
             (SELECT x.message_id FROM event_ids x WHERE x.application_id = i.app AND x.event_id = i.event_id)
        FROM unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[]) WITH ORDINALITY AS i(app, id, key, event_id, n)
       ORDER BY i.n
      """;

  /** What the statement inserts, and where. */
  private record Values(
      List<PendingAccept> batch, Stamp stamp, KeyGeneration keys, Map<Id, LanePlace> places) {
    /** Whether a key of the batch outlives the current generation. */
    boolean copies() {
      for (PendingAccept pending : batch) {
        IdempotencyKey key = pending.message.key();
        if (key != null && keys.isOutlivedBy(stamp.expires(key))) {
          return true;
        }
      }
      return false;
    }

    String sql() {
      return (copies() ? INSERT_WITH_COPIES : INSERT).get(keys.slot());
    }
  }

  @Override
  public int insert(
      Connection connection, List<PendingAccept> batch, Stamp stamp, KeyGeneration keys)
      throws SQLException {
    Map<Id, Integer> ordered = orderedLanes(batch);
    boolean more = AfterInsertStatements.neededFor(batch);
    if (ordered.isEmpty() && !more) {
      return insertBatch(connection, new Values(batch, stamp, keys, Map.of()));
    }
    connection.setAutoCommit(false);
    try {
      int written = insertInTransaction(connection, batch, stamp, keys);
      if (written == WRONG_GENERATION) {
        connection.rollback();
        return written;
      }
      connection.commit();
      return written;
    } catch (SQLException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  @Override
  public int insertInTransaction(
      Connection connection, List<PendingAccept> batch, Stamp stamp, KeyGeneration keys)
      throws SQLException {
    Map<Id, LanePlace> places = drawPlaces(connection, orderedLanes(batch), stamp);
    int written = insertBatch(connection, new Values(batch, stamp, keys, places));
    if (written != WRONG_GENERATION && AfterInsertStatements.neededFor(batch)) {
      AfterInsertStatements.write(connection, Dialect.POSTGRES, batch, stamp, keys);
    }
    return written;
  }

  private static Map<Id, Integer> orderedLanes(List<PendingAccept> batch) {
    Map<Id, Integer> lanes = new TreeMap<>();
    for (PendingAccept pending : batch) {
      for (NewDelivery delivery : pending.deliveries()) {
        if (delivery.ordered()) {
          lanes.merge(delivery.laneId(), 1, Integer::sum);
        }
      }
    }
    return lanes;
  }

  /**
   * Assigns as many positions in each ordered lane as the batch may need, locking the lanes in id
   * order; unused ones stay gaps.
   */
  private static Map<Id, LanePlace> drawPlaces(
      Connection connection, Map<Id, Integer> lanes, Stamp stamp) throws SQLException {
    Map<Id, LanePlace> first = new HashMap<>();
    try (PreparedStatement draw = connection.prepareStatement(LanePlaceStore.DRAW)) {
      for (Map.Entry<Id, Integer> lane : lanes.entrySet()) {
        LanePlace place =
            LanePlaceStore.draw(
                draw, Dialect.POSTGRES, lane.getKey(), lane.getValue(), stamp.nowMs());
        if (place != null) {
          first.put(lane.getKey(), place);
        }
      }
    }
    return first;
  }

  private static int insertBatch(Connection connection, Values values) throws SQLException {
    List<PendingAccept> batch = values.batch();
    Stamp stamp = values.stamp();
    try (PreparedStatement statement = connection.prepareStatement(values.sql())) {
      int at = bindMessages(statement, batch);
      at = bindKeys(statement, at, values);
      statement.setObject(at++, stamp.instance().uuid());
      statement.setLong(at++, stamp.nowMs());
      at = bindDeliveries(statement, at, batch, values.places());
      bindLeaseBatch(statement, at, stamp);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Replication.check(statement);
        return row.getInt(1);
      }
    }
  }

  @Override
  public boolean rejects(
      Connection connection, PendingAccept alone, Stamp stamp, KeyGeneration keys)
      throws SQLException {
    connection.setAutoCommit(false);
    try {
      insertBatch(connection, new Values(List.of(alone), stamp, keys, Map.of()));
      return false;
    } catch (SQLException e) {
      return SqlFaults.of(e) == SqlFaults.BAD_DATA;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  @Override
  public void awaitReplication(Connection connection) throws SQLException {
    Replication.await(connection);
  }

  private static int bindMessages(PreparedStatement statement, List<PendingAccept> batch)
      throws SQLException {
    int at = 1;
    statement.setObject(at++, BinaryArray.ids(list(batch, a -> a.applicationId)));
    statement.setObject(at++, BinaryArray.ids(list(batch, a -> a.messageId)));
    statement.setObject(at++, BinaryArray.ints(list(batch, a -> a.routingVersion)));
    statement.setObject(at++, BinaryArray.texts(list(batch, a -> a.message.eventType())));
    statement.setObject(at++, BinaryArray.texts(list(batch, a -> a.message.eventId())));
    statement.setObject(
        at++, BinaryArray.texts(list(batch, a -> TextList.encode(a.message.channels()))));
    statement.setObject(
        at++, BinaryArray.texts(list(batch, a -> TextList.encode(a.message.tags()))));
    statement.setObject(at++, BinaryArray.texts(list(batch, a -> a.message.contentType())));
    statement.setObject(at++, BinaryArray.texts(list(batch, a -> a.message.headers())));
    statement.setObject(at++, BinaryArray.bytes(list(batch, a -> a.message.payload())));
    statement.setObject(at++, BinaryArray.longs(list(batch, a -> a.message.expiresAtMs())));
    statement.setObject(at++, BinaryArray.bytes(list(batch, PendingAccept::targets)));
    statement.setObject(at++, BinaryArray.ids(list(batch, PendingAccept::key)));
    statement.setObject(at++, BinaryArray.ids(list(batch, PostgresAccept::body)));
    statement.setObject(at++, BinaryArray.longs(list(batch, PostgresAccept::keyUntil)));
    statement.setObject(at++, BinaryArray.ids(list(batch, PendingAccept::groupId)));
    statement.setObject(at++, BinaryArray.bytes(list(batch, PendingAccept::groupIds)));
    return at;
  }

  private static int bindKeys(PreparedStatement statement, int from, Values values)
      throws SQLException {
    int at = from;
    long now = values.stamp().nowMs();
    statement.setLong(at++, values.keys().number());
    statement.setLong(at++, values.stamp().keyExpiresMs());
    for (int i = 0; i < KeyTables.others() + 1; i++) { // and the table itself
      statement.setLong(at++, now);
    }
    if (values.copies()) {
      statement.setLong(at++, values.keys().dropAfterMs());
    }
    return at;
  }

  private static @Nullable Id body(PendingAccept pending) {
    IdempotencyKey key = pending.message.key();
    return key == null ? null : key.body();
  }

  private static @Nullable Long keyUntil(PendingAccept pending) {
    IdempotencyKey key = pending.message.key();
    return key == null ? null : key.expiresAtMs();
  }

  private static void bindLeaseBatch(PreparedStatement statement, int from, Stamp stamp)
      throws SQLException {
    LeaseBatch leaseBatch = stamp.leaseBatch();
    int at = from;
    statement.setObject(at++, stamp.instance().uuid());
    Dialect.POSTGRES.bind(statement, at++, leaseBatch == null ? null : leaseBatch.key().id());
    statement.setLong(at++, leaseBatch == null ? 0 : leaseBatch.leaseUntilMs());
    statement.setBytes(at, leaseBatch == null ? null : leaseBatch.items());
  }

  private static int bindDeliveries(
      PreparedStatement statement, int from, List<PendingAccept> batch, Map<Id, LanePlace> places)
      throws SQLException {
    int size = batch.stream().mapToInt(a -> a.deliveries().size()).sum();
    List<Id> applications = new ArrayList<>(size);
    List<Id> messages = new ArrayList<>(size);
    List<NewDelivery> rows = new ArrayList<>(size);
    List<@Nullable Long> times = new ArrayList<>(size);
    List<@Nullable Long> numbers = new ArrayList<>(size);
    for (PendingAccept pending : batch) {
      for (NewDelivery delivery : pending.deliveries()) {
        if (delivery.rowless()) {
          continue;
        }
        applications.add(pending.applicationId);
        messages.add(pending.messageId);
        rows.add(delivery);
        LanePlace place = delivery.ordered() ? places.get(delivery.laneId()) : null;
        if (place == null) {
          times.add(null);
          numbers.add(null);
        } else {
          places.put(delivery.laneId(), place.next());
          times.add(place.notBefore(pending.message.deliverAtMs()).orderAtMs());
          numbers.add(place.seq());
        }
      }
    }
    int at = from;
    statement.setObject(at++, BinaryArray.ids(applications));
    statement.setObject(at++, BinaryArray.ids(list(rows, NewDelivery::id)));
    statement.setObject(at++, BinaryArray.ids(messages));
    statement.setObject(at++, BinaryArray.ids(list(rows, NewDelivery::laneId)));
    statement.setObject(at++, BinaryArray.ints(list(rows, d -> d.leased() ? 1 : 0)));
    statement.setObject(at++, BinaryArray.longs(list(rows, NewDelivery::leaseUntilMs)));
    statement.setObject(at++, BinaryArray.longs(list(rows, NewDelivery::nextAttemptAtMs)));
    statement.setObject(at++, BinaryArray.longs(times));
    statement.setObject(at++, BinaryArray.longs(numbers));
    return at;
  }

  @Override
  public List<Found> lookUp(Connection connection, List<PendingAccept> admissions, long nowMs)
      throws SQLException {
    List<Found> found = new ArrayList<>(admissions.size());
    try (PreparedStatement statement = connection.prepareStatement(LOOK_UP)) {
      statement.setLong(1, nowMs);
      statement.setLong(2, nowMs);
      statement.setLong(3, nowMs);
      statement.setObject(4, BinaryArray.ids(list(admissions, a -> a.applicationId)));
      statement.setObject(5, BinaryArray.ids(list(admissions, a -> a.messageId)));
      statement.setObject(6, BinaryArray.ids(list(admissions, PendingAccept::key)));
      statement.setObject(7, BinaryArray.texts(list(admissions, a -> a.message.eventId())));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(
              new Found(
                  row.getBoolean(1),
                  Dialect.POSTGRES.read(row, 2),
                  Dialect.POSTGRES.read(row, 3),
                  Targets.decode(row.getBytes(4)),
                  Dialect.POSTGRES.read(row, 5)));
        }
      }
    }
    return found;
  }

  private static <S, T extends @Nullable Object> List<T> list(List<S> rows, Function<S, T> field) {
    List<T> values = new ArrayList<>(rows.size());
    for (S row : rows) {
      values.add(field.apply(row));
    }
    return values;
  }
}
