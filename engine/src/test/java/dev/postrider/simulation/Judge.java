package dev.postrider.simulation;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.Targets;
import dev.postrider.delivery.accept.KeyTables;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.store.LanePlace;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.limit.Gcra;
import dev.postrider.simulation.Network.Request;
import dev.postrider.storage.MemorySqlite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Looks at what the receivers saw and at what the tables hold, and says what should not be. */
final class Judge {
  /**
   * A throttled try starts within 250 ms of its token, and the clocks of two instances that follow
   * the database differ by less than a slow statement lasts.
   */
  private static final double THROTTLE_SLACK_SECONDS = 0.25 + 0.35;

  private static final Comparator<LanePlace> IN_ORDER =
      Comparator.comparingLong(LanePlace::orderAtMs).thenComparingLong(LanePlace::seq);

  /** With those that have no row of their own: a first attempt, which succeeded. */
  private static final String DELIVERIES =
      StoredCodes.sql(
          """
          SELECT id, message_id, lane_id, status FROM deliveries
          UNION ALL SELECT a.delivery_id, a.message_id, a.lane_id, {DELIVERED} FROM attempts a
           WHERE a.number = 1 AND a.outcome = {SUCCESS} AND NOT EXISTS (SELECT 1 FROM deliveries x WHERE x.id = a.delivery_id)
          """);

  private record Row(
      Id id, Id messageId, String path, DeliveryStatus status, @Nullable LanePlace place) {}

  private record Recorded(Id delivery, int attempt) {}

  private final World world;
  private final MemorySqlite store;
  private final List<String> violations = new ArrayList<>();

  Judge(World world, MemorySqlite store) {
    this.world = world;
    this.store = store;
  }

  /** Writes down whatever leaves a terminal status or changes an attempt, at the moment it does. */
  static void setTripwires(MemorySqlite store) {
    store.execute("CREATE TEMP TABLE tripped (what text)");
    store.execute(
        StoredCodes.sql(
            """
            CREATE TEMP TRIGGER two_ends AFTER UPDATE OF status ON main.deliveries WHEN OLD.status IN ({DELIVERED}, {DEAD_LETTER}, {CANCELED})
            BEGIN INSERT INTO tripped VALUES ('a delivery went from status ' || OLD.status || ' to ' || NEW.status); END
            """));
    store.execute("CREATE TEMP TABLE forgotten (message_id blob, expires_at integer)");
    for (String table : KeyTables.all()) {
      if (!table.equals(KeyTables.LONG)) {
        store.execute(
            """
            CREATE TEMP TRIGGER generation_of_%1$s AFTER INSERT ON main.%1$s
              WHEN NOT EXISTS (SELECT 1 FROM key_generations g WHERE 'idempotency_' || g.slot = '%1$s' AND g.state = 1)
            BEGIN INSERT INTO tripped VALUES ('a key was inserted into a former generation'); END
            """
                .formatted(table));
      }
      for (String change : List.of("DELETE", "UPDATE")) {
        store.execute(
            """
            CREATE TEMP TRIGGER %1$s_of_%2$s AFTER %1$s ON main.%2$s
            BEGIN INSERT INTO forgotten VALUES (OLD.message_id, OLD.expires_at); END
            """
                .formatted(change, table));
      }
    }
    store.execute("CREATE TEMP TABLE drawn (id blob PRIMARY KEY, order_at integer, seq integer)");
    store.execute(
        """
        CREATE TEMP TRIGGER place AFTER INSERT ON main.deliveries WHEN NEW.lane_seq IS NOT NULL
        BEGIN INSERT INTO drawn VALUES (NEW.id, NEW.order_at, NEW.lane_seq); END
        """);
    store.execute("CREATE TEMP TABLE canceled (id blob, version integer)");
    store.execute(
        """
        CREATE TEMP TRIGGER cancel AFTER UPDATE OF reason ON main.deliveries WHEN NEW.reason = 'cancel_requested' AND OLD.reason IS NOT 'cancel_requested'
        BEGIN INSERT INTO canceled VALUES (NEW.id, NEW.lease_version); END
        """);
    store.execute(
        StoredCodes.sql(
            """
            CREATE TEMP TRIGGER canceled_waits AFTER UPDATE OF status ON main.deliveries WHEN OLD.reason = 'cancel_requested' AND NEW.status IN ({PENDING}, {FAILED})
            BEGIN INSERT INTO tripped VALUES ('a canceled delivery waits again'); END
            """));
    store.execute("CREATE TEMP TABLE put_off (id blob, attempt integer, due integer)");
    store.execute(
        """
        CREATE TEMP TRIGGER next_try AFTER UPDATE OF next_attempt_at ON main.deliveries WHEN NEW.next_attempt_at IS NOT NULL
        BEGIN INSERT INTO put_off VALUES (NEW.id, NEW.lease_version + 1, NEW.next_attempt_at); END
        """);
    store.execute(
        """
        CREATE TEMP TRIGGER next_try_of_a_new_row AFTER INSERT ON main.deliveries WHEN NEW.next_attempt_at IS NOT NULL AND NEW.lease_version > 0
        BEGIN INSERT INTO put_off VALUES (NEW.id, NEW.lease_version + 1, NEW.next_attempt_at); END
        """);
    store.execute(
        StoredCodes.sql(
            """
            CREATE TEMP TRIGGER row_after_success AFTER INSERT ON main.deliveries WHEN EXISTS (SELECT 1 FROM attempts a WHERE a.delivery_id = NEW.id AND a.outcome = {SUCCESS})
            BEGIN INSERT INTO tripped VALUES ('a delivered delivery got a row'); END
            """));
    firstAttempts(store);
    leaseBatches(store);
    store.execute(
        """
        CREATE TEMP TRIGGER changed_attempt AFTER UPDATE ON main.attempts
        BEGIN INSERT INTO tripped VALUES ('an attempt was changed'); END
        """);
    store.execute(
        """
        CREATE TEMP TRIGGER lower_version AFTER UPDATE OF lease_version ON main.deliveries WHEN NEW.lease_version < OLD.lease_version
        BEGIN INSERT INTO tripped VALUES ('a lease version went back'); END
        """);
  }

  /** A first attempt that is not a success comes with the row, or after it. */
  private static void firstAttempts(MemorySqlite store) {
    store.execute("CREATE TEMP TABLE owed (id blob)");
    store.execute(
        """
        CREATE TEMP TRIGGER row_missing BEFORE INSERT ON main.attempts WHEN EXISTS (SELECT 1 FROM owed)
        BEGIN INSERT INTO tripped VALUES ('a first attempt that failed was written without a row'); END
        """);
    store.execute(
        StoredCodes.sql(
            """
            CREATE TEMP TRIGGER row_owed AFTER INSERT ON main.attempts
              WHEN NEW.number = 1 AND NEW.outcome <> {SUCCESS} AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = NEW.delivery_id)
            BEGIN INSERT INTO owed VALUES (NEW.delivery_id); END
            """));
    store.execute(
        """
        CREATE TEMP TRIGGER row_given AFTER INSERT ON main.deliveries
        BEGIN DELETE FROM owed WHERE id = NEW.id; END
        """);
  }

  /** A lease batch is deleted when each of its deliveries has a first attempt. */
  private static void leaseBatches(MemorySqlite store) {
    store.execute("CREATE TEMP TABLE items (n integer PRIMARY KEY)");
    store.execute(
        """
        INSERT INTO items WITH RECURSIVE counted (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 4095) SELECT n FROM counted
        """);
    store.execute(
        """
        CREATE TEMP TRIGGER early_delete AFTER DELETE ON main.lease_batches WHEN EXISTS (
          SELECT 1 FROM items i JOIN messages m ON m.id = substr(OLD.items, 48 * i.n + 17, 16)
           WHERE 48 * i.n < length(OLD.items) AND NOT EXISTS (
             SELECT 1 FROM attempts a WHERE a.message_id = m.id AND a.lane_id = substr(OLD.items, 48 * i.n + 33, 16) AND a.number = 1))
        BEGIN INSERT INTO tripped VALUES ('a lease batch was deleted before its last lease ended'); END
        """);
  }

  static void clearTripwires(MemorySqlite store) {
    store.execute("DELETE FROM owed");
    store.execute("DELETE FROM tripped");
    store.execute("DELETE FROM drawn");
    store.execute("DELETE FROM canceled");
    store.execute("DELETE FROM put_off");
  }

  List<String> violations(boolean over) {
    if (!over) {
      violations.add(
          "not done after %d s and %d steps: %d deliveries unfinished, callers %s"
              .formatted(
                  world.timeline().nanos() / 1_000 / Timeline.MS,
                  world.timeline().steps(),
                  world.unfinished(),
                  world.callers().done() ? "answered" : "waiting"));
    }
    violations.addAll(world.timeline().faults());
    violations.addAll(world.callers().wrong());
    List<Row> rows = rows();
    rowless();
    Map<String, Integer> canceled = canceled();
    lost(rows, canceled.keySet(), over);
    canceled(rows, canceled);
    orphans();
    duplicates();
    afterTheRecord();
    numbers();
    order(rows, canceled.keySet());
    throttle();
    if (world.network().mostInFlight() > world.perLane()) {
      violations.add(
          world.network().mostInFlight()
              + " in flight to one endpoint, allowed "
              + world.perLane());
    }
    return violations;
  }

  /**
   * What a message says about its deliveries without a row is true: each has a first attempt, and
   * nothing else is without a row.
   */
  private void rowless() {
    Set<Id> named = new HashSet<>();
    store.read(
        handle ->
            handle
                .createQuery("SELECT id, targets FROM messages WHERE targets IS NOT NULL")
                .map(
                    (row, context) -> {
                      Id message = Id.ofBytes(row.getBytes(1));
                      for (Id lane : Targets.decode(row.getBytes(2))) {
                        named.add(DeliveryIds.of(message, lane, Id.ZERO));
                      }
                      return message;
                    })
                .list());
    Set<Id> first = ids("SELECT delivery_id FROM attempts WHERE number = 1");
    Set<Id> without =
        ids(
            "SELECT delivery_id FROM attempts WHERE delivery_id NOT IN (SELECT id FROM"
                + " deliveries)");
    for (Id delivery : named) {
      if (!first.contains(delivery)) {
        violations.add(delivery.text(IdKind.DELIVERY) + " has neither a row nor an attempt");
      }
    }
    for (Id delivery : without) {
      if (!named.contains(delivery)) {
        violations.add(delivery.text(IdKind.DELIVERY) + " has no row, and no message names it");
      }
    }
  }

  private Set<Id> ids(String sql) {
    return new HashSet<>(
        store.read(
            handle ->
                handle.createQuery(sql).map((row, context) -> Id.ofBytes(row.getBytes(1))).list()));
  }

  private List<Row> rows() {
    return store.read(
        handle ->
            handle
                .createQuery(
                    "SELECT d.id, d.message_id, substr(e.url, 19), d.status, s.order_at, s.seq FROM"
                        + " ("
                        + DELIVERIES
                        + ") d LEFT JOIN endpoints e ON e.id = d.lane_id LEFT JOIN drawn"
                        + " s ON s.id = d.id")
                .map(
                    (row, context) ->
                        new Row(
                            Id.ofBytes(row.getBytes(1)),
                            Id.ofBytes(row.getBytes(2)),
                            row.getString(3),
                            DeliveryStatus.of(row.getInt(4)),
                            row.getObject(5) == null
                                ? null
                                : new LanePlace(row.getLong(5), row.getLong(6))))
                .list());
  }

  /** The canceled deliveries, and the attempt that each was at when it was canceled. */
  private Map<String, Integer> canceled() {
    Map<String, Integer> canceled = new HashMap<>();
    store.read(
        handle ->
            handle
                .createQuery("SELECT id, version FROM canceled")
                .map(
                    (row, context) ->
                        canceled.put(
                            Id.ofBytes(row.getBytes(1)).text(IdKind.DELIVERY), row.getInt(2)))
                .list());
    store.read(
        handle ->
            handle
                .createQuery("SELECT id, canceled FROM messages WHERE canceled IS NOT NULL")
                .map(
                    (row, context) -> {
                      Id message = Id.ofBytes(row.getBytes(1));
                      for (Id lane : Targets.decode(row.getBytes(2))) {
                        Id delivery = DeliveryIds.of(message, lane, Id.ZERO);
                        canceled.putIfAbsent(delivery.text(IdKind.DELIVERY), 1);
                      }
                      return message;
                    })
                .list());
    return canceled;
  }

  /**
   * A canceled delivery is not sent again. If its attempt in progress succeeds, it is delivered,
   * unless the sender had trouble before it could record that.
   */
  private void canceled(List<Row> rows, Map<String, Integer> canceled) {
    Set<String> ended = new HashSet<>();
    for (Row row : rows) {
      if (row.status() == DeliveryStatus.CANCELED) {
        ended.add(row.id().text(IdKind.DELIVERY));
      }
    }
    for (Request request : world.network().requests()) {
      Integer last = canceled.get(request.delivery());
      if (last != null && request.attempt() > last) {
        violations.add(
            "%s was sent as attempt %d though it was canceled at attempt %d"
                .formatted(request.delivery(), request.attempt(), last));
      }
      if (request.ok()
          && ended.contains(request.delivery())
          && !request.host().troubledBetween(request.sentAt(), world.timeline().nanos())) {
        violations.add(
            "%s is canceled though %s had success with it, and no trouble"
                .formatted(request.delivery(), request.host().name));
      }
    }
  }

  /** Every accepted message is at all its endpoints or canceled, and the tables know it. */
  private void lost(List<Row> rows, Set<String> canceled, boolean over) {
    Set<String> arrived = new HashSet<>();
    for (Request request : world.network().requests()) {
      if (request.ok()) {
        arrived.add(request.delivery());
      }
    }
    Map<Id, Integer> deliveries = new HashMap<>();
    for (Row row : rows) {
      String id = row.id().text(IdKind.DELIVERY);
      deliveries.merge(row.messageId(), 1, Integer::sum);
      boolean ended =
          row.status() == DeliveryStatus.DELIVERED
              || (row.status() == DeliveryStatus.CANCELED && canceled.contains(id));
      if (over && !ended) {
        violations.add(id + " ended with status " + row.status());
      } else if (row.status() == DeliveryStatus.DELIVERED && !arrived.contains(id)) {
        violations.add(id + " is delivered and the receiver does not know it");
      }
    }
    Set<Id> messages = new HashSet<>();
    for (Id message : world.callers().accepted().values()) {
      if (!messages.add(message)) {
        violations.add(message + " is the answer to two keys");
      }
      int count = deliveries.getOrDefault(message, 0);
      if (count != world.exits()) {
        violations.add(
            "%s was accepted and has %d deliveries, not %d"
                .formatted(message, count, world.exits()));
      }
    }
  }

  private void orphans() {
    none(
        "SELECT count(*) FROM deliveries d WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE"
            + " m.application_id = d.application_id AND m.id = d.message_id)",
        "deliveries without a message");
    none(
        StoredCodes.sql(
            "SELECT count(*) FROM attempts a WHERE (a.number > 1 OR a.outcome <> {SUCCESS}) AND NOT"
                + " EXISTS (SELECT 1 FROM deliveries d WHERE d.id = a.delivery_id)"),
        "attempts without a delivery");
    none(
        "SELECT count(*) FROM attempts a WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE"
            + " m.application_id = a.application_id AND m.id = a.message_id)",
        "attempts without a message");
    none(
        "SELECT count(*) FROM idempotency i WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE"
            + " m.application_id = i.application_id AND m.id = i.message_id)",
        "keys without a message");
    none(
        """
        SELECT count(*) FROM (SELECT 1 FROM idempotency WHERE expires_at > %d
                               GROUP BY application_id, key HAVING count(DISTINCT message_id) > 1)
        """
            .formatted(world.latestMs()),
        "keys with two messages");
    none(
        """
        SELECT count(*) FROM messages m WHERE NOT EXISTS (SELECT 1 FROM idempotency i WHERE i.message_id = m.id)
           AND NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.message_id = m.id AND f.expires_at <= %d)
        """
            .formatted(world.latestMs()),
        "messages without a key");
    if (violations.isEmpty()) {
      none(
          "SELECT count(*) FROM lanes WHERE in_flight IS NOT NULL OR probe IS NOT NULL",
          "lanes that are held by nobody");
    }
    for (String tripped :
        store.read(
            handle -> handle.createQuery("SELECT what FROM tripped").mapTo(String.class).list())) {
      violations.add(tripped);
    }
  }

  private void none(String count, String what) {
    long found = store.read(handle -> handle.createQuery(count).mapTo(Long.class).one());
    if (found > 0) {
      violations.add(found + " " + what);
    }
  }

  private Map<String, List<Request>> byDelivery() {
    Map<String, List<Request>> requests = new TreeMap<>();
    for (Request request : world.network().requests()) {
      requests.computeIfAbsent(request.delivery(), _ -> new ArrayList<>()).add(request);
    }
    requests.values().forEach(list -> list.sort(Comparator.comparingLong(Request::sentAt)));
    return requests;
  }

  /** After a success nothing is sent, unless its sender had trouble before it could record it. */
  private void duplicates() {
    byDelivery()
        .forEach(
            (delivery, sent) -> {
              for (int i = 0; i + 1 < sent.size(); i++) {
                Request first = sent.get(i);
                Request next = sent.get(i + 1);
                if (first.ok() && !first.host().troubledBetween(first.sentAt(), next.sentAt())) {
                  violations.add(
                      "%s was sent again by %s at %.3f s though %s had success with it, and no trouble, at %.3f s"
                          .formatted(
                              delivery,
                              next.host().name,
                              next.sentAt() / 1e9,
                              first.host().name,
                              first.sentAt() / 1e9));
                }
              }
            });
  }

  /** Once a success is in the tables, no trouble of anyone excuses another try. */
  private void afterTheRecord() {
    Map<String, Integer> recorded = new HashMap<>();
    for (Recorded one : recorded()) {
      recorded.merge(one.delivery().text(IdKind.DELIVERY), one.attempt(), Math::min);
    }
    for (Request request : world.network().requests()) {
      Integer success = recorded.get(request.delivery());
      if (success != null && request.attempt() > success) {
        violations.add(
            "%s was sent as attempt %d after attempt %d was recorded as its success"
                .formatted(request.delivery(), request.attempt(), success));
      }
    }
  }

  private List<Recorded> recorded() {
    return store.read(
        handle ->
            handle
                .createQuery("SELECT delivery_id, number FROM attempts WHERE outcome = :success")
                .bind("success", OutcomeClass.SUCCESS.code())
                .map((row, context) -> new Recorded(Id.ofBytes(row.getBytes(1)), row.getInt(2)))
                .list());
  }

  /** A lease has one holder, and one try. */
  private void numbers() {
    byDelivery()
        .forEach(
            (delivery, sent) -> {
              Set<Integer> seen = new HashSet<>();
              for (Request request : sent) {
                if (!seen.add(request.attempt())) {
                  violations.add(delivery + " was sent twice as attempt " + request.attempt());
                }
              }
            });
  }

  /** In an ordered lane, all that has an earlier place has arrived before anything is sent. */
  private void order(List<Row> rows, Set<String> canceled) {
    Map<String, Row> known = new HashMap<>();
    rows.forEach(row -> known.put(row.id().text(IdKind.DELIVERY), row));
    Map<String, List<Request>> byPath = new TreeMap<>();
    for (Request request : world.network().requests()) {
      if (request.path().startsWith("/ordered")) {
        byPath.computeIfAbsent(request.path(), _ -> new ArrayList<>()).add(request);
      }
    }
    byPath.forEach(
        (path, sent) -> {
          sent.sort(Comparator.comparingLong(Request::sentAt));
          Set<String> succeeded = new HashSet<>();
          Set<String> begun = new HashSet<>();
          for (Request request : sent) {
            Row row = known.get(request.delivery());
            boolean first = begun.add(request.delivery());
            if (row != null && first) {
              for (Request other : sent) {
                if (before(known.get(other.delivery()), row)
                    && !canceled.contains(other.delivery())
                    && !succeeded.contains(other.delivery())) {
                  violations.add(
                      "%s came to %s before %s"
                          .formatted(request.delivery(), path, other.delivery()));
                }
              }
            }
            if (request.ok()) {
              succeeded.add(request.delivery());
            }
          }
        });
  }

  private static boolean before(@Nullable Row other, Row row) {
    LanePlace theirs = other == null ? null : other.place();
    return theirs != null && row.place() != null && IN_ORDER.compare(theirs, row.place()) < 0;
  }

  private void throttle() {
    Map<String, List<Long>> times = new TreeMap<>();
    for (Request request : world.network().requests()) {
      if (request.path().startsWith("/throttled")) {
        times.computeIfAbsent(request.path(), _ -> new ArrayList<>()).add(request.sentAt());
      }
    }
    Gcra gcra = Gcra.perSecond(Scenario.THROTTLE_RATE);
    times.forEach(
        (path, sent) -> {
          sent.sort(Comparator.naturalOrder());
          for (int from = 0; from < sent.size(); from++) {
            for (int to = from + 1; to < sent.size(); to++) {
              double seconds = (sent.get(to) - sent.get(from)) / 1e9 + THROTTLE_SLACK_SECONDS;
              if (to - from + 1 > gcra.ratePerSecond() * seconds + gcra.burst() + 1e-6) {
                violations.add("%s got %d within %.3f s".formatted(path, to - from + 1, seconds));
                return;
              }
            }
          }
        });
  }
}
