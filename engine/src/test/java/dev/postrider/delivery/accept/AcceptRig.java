package dev.postrider.delivery.accept;

import static dev.postrider.testkit.builder.MessageBuilder.aMessage;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneBook;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.RoutingStore;
import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.id.Id;
import dev.postrider.limit.SendRate;
import dev.postrider.limit.Share;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.ShardGroups;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.postgres.PostgresDedicatedConnection;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.storage.sqlite.SqliteDedicatedConnection;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.builder.MessageBuilder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One accepting instance over a real database, with a link that can be made to fail and a clock
 * that stands still.
 */
final class AcceptRig implements AutoCloseable {
  static final long KEY_WINDOW_MS = 60_000;

  /** Stands between the loop and the database. */
  interface Fault {
    <T extends @Nullable Object> T run(int run, Supplier<T> real);
  }

  private static final AcceptLoop.Limits LIMITS =
      new AcceptLoop.Limits(
          500, 4 << 20, 10_000, 64 << 20, new Share(1), KEY_WINDOW_MS, 2 * KEY_WINDOW_MS);

  static final Fault NONE =
      new Fault() {
        @Override
        public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
          return real.get();
        }
      };

  final Database database;
  final ManualTime time = new ManualTime();
  final Fixture fixture;
  final LaneRoom room;
  final LaneBook book;
  final Lanes lanes;
  final AcceptLoop loop;
  final CommitWatermark watermark;
  final GroupCommit acceptor;
  final ConcurrentLinkedQueue<Delivery> handedOver = new ConcurrentLinkedQueue<>();
  final AtomicInteger leftForOthers = new AtomicInteger();
  final AtomicInteger runs = new AtomicInteger();
  final DedicatedConnection real;
  volatile Fault fault = NONE;

  /** What the loop's statements run on in place of the connection. */
  volatile UnaryOperator<Connection> wrap = UnaryOperator.identity();

  AcceptRig(Database database) {
    this(database, ShardGroups.ONE);
  }

  AcceptRig(Database database, boolean leasesAtInsert, AcceptLoop.Limits limits) {
    this(database, leasesAtInsert, limits, ShardGroups.ONE);
  }

  AcceptRig(Database database, ShardGroups groups) {
    this(database, true, LIMITS, groups);
  }

  private AcceptRig(
      Database database, boolean leasesAtInsert, AcceptLoop.Limits limits, ShardGroups groups) {
    this.database = database;
    this.fixture = new Fixture(database, time);
    this.room = new LaneRoom(new LaneRoom.Limits(10_000, 10_000, 1 << 30, new Share(1)), time);
    this.lanes = new Lanes(room, SendRate.unlimited(), groups);
    this.book = lanes.book();
    this.real =
        switch (database) {
          case SqliteDatabase sqlite -> new SqliteDedicatedConnection(sqlite);
          case PostgresDatabase postgres ->
              new PostgresDedicatedConnection(
                  postgres, "postrider-accept", PostgresDedicatedConnection.INDEX_PLANS);
          default -> throw new AssertionError();
        };
    InsertClaims insertClaims =
        new InsertClaims(
            lanes, new UnsettledLeases(groups), fixture.ids, time, 90_000, leasesAtInsert);
    this.loop =
        new AcceptLoop(
            new Faulty(), database.dialect(), insertClaims, fixture.ids.next(), limits, time);
    this.watermark = CommitWatermark.alone(fixture.ids, time);
    this.acceptor =
        new GroupCommit(
            new RoutingCache(new RoutingStore(database, fixture.keyring, time)),
            new FanOut(laneKeys(), loop.keyWindow(), time),
            loop,
            insertClaims,
            new Recorder(),
            fixture.ids,
            watermark,
            new AcceptRateLimiter(() -> 1, time));
    loop.start();
  }

  private LaneKeys laneKeys() {
    return new LaneKeys(
        new JsonataExpressions(
            ExpressionLimits.DEFAULT, new Evaluator(EvaluationLimits.DEFAULT, time), time));
  }

  private final class Faulty implements DedicatedConnection {
    @Override
    public <T extends @Nullable Object> T run(Database.RawWork<T> work) {
      return fault.run(
          runs.incrementAndGet(), () -> real.run(connection -> work.run(wrap.apply(connection))));
    }

    @Override
    public <T extends @Nullable Object> T write(Database.Work<T> work) {
      return real.write(work);
    }

    @Override
    public void close() {}
  }

  private final class Recorder implements GroupCommit.HandOver {
    @Override
    public void leasedAtInsert(Delivery leased) {
      handedOver.add(leased);
    }

    @Override
    public void waitsForReader() {}

    @Override
    public void leftForOthers() {
      leftForOthers.incrementAndGet();
    }
  }

  Application application(String uid) {
    return fixture.application(uid);
  }

  Id endpoint(Application application) {
    return endpoint(application, EndpointSpec.of("https://example.com/hook"));
  }

  Id endpoint(Application application, EndpointSpec spec) {
    return fixture.endpoint(application, spec).id().value();
  }

  AcceptResult accept(NewMessage message) {
    return acceptor.accept(message);
  }

  List<AcceptResult> acceptAll(NewMessage... messages) {
    return acceptor.acceptAll(List.of(messages));
  }

  Id accepted(NewMessage message) {
    return idOf(accept(message));
  }

  static Id idOf(AcceptResult result) {
    if (result instanceof AcceptResult.Accepted accepted) {
      return accepted.messageId().value();
    }
    throw new AssertionError("not accepted: " + result);
  }

  static NewMessage message(Application application) {
    return message(application, null, null, "{}");
  }

  static NewMessage message(
      Application application, @Nullable Integer key, @Nullable String eventId, String body) {
    return message(
        application, "invoice.paid", key, eventId, body.getBytes(StandardCharsets.UTF_8), null);
  }

  static NewMessage message(
      Application application,
      String type,
      @Nullable Integer key,
      @Nullable String eventId,
      byte[] body,
      @Nullable Long deliverAtMs) {
    MessageBuilder message =
        aMessage(application).type(type).eventId(eventId).payload(body).deliverAtMs(deliverAtMs);
    return (key == null
            ? message
            : message.key(new Id(7, key), new Id(8, java.util.Arrays.hashCode(body))))
        .build();
  }

  /** As the sender would at the end of its attempts. */
  void finishLeased() {
    for (Delivery leased = handedOver.poll(); leased != null; leased = handedOver.poll()) {
      Lane lane = lanes.of(leased.applicationId(), leased.laneId());
      room.tryEnded(lane);
      room.leaseEnded(lane, leased.sizeInBytes());
    }
  }

  /** All deliveries: the rows, and what messages name. */
  long deliveries() {
    return count("deliveries")
        + read("SELECT coalesce(sum(length(targets)), 0) / 16 FROM messages");
  }

  long read(String query) {
    return database.read(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  long count(String from) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + from).mapTo(Long.class).one());
  }

  @Override
  public void close() {
    fault = NONE;
    loop.stop();
    real.close();
  }
}
