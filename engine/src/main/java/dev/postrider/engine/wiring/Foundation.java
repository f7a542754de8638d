package dev.postrider.engine.wiring;

import dev.postrider.crypto.Keyring;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.lane.TrustWindow;
import dev.postrider.engine.services.EvaluationServices;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.Expressions;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.limit.SendRate;
import dev.postrider.limit.Share;
import dev.postrider.maintenance.MasterKeys;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.EngineOptions;
import dev.postrider.options.Role;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.ShardGroups;
import dev.postrider.tenant.EventTtl;
import dev.postrider.tenant.JdbcDataKeyStore;
import dev.postrider.time.SystemTime;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The objects that all components of one engine share, such as database, clock and keyring. */
record Foundation(
    EngineOptions options,
    EngineConnections opened,
    SystemTime time,
    Ids ids,
    Id instance,
    CommitWatermark watermark,
    SecureRandom secureRandom,
    Keyring keyring,
    Lanes lanes,
    TrustWindow trust,
    Evaluator evaluator,
    Expressions expressions) {
  /** How long a lease lasts beyond the longest attempt: time to record the result. */
  private static final Duration LEASE_SLACK = Duration.ofSeconds(30);

  private static final System.Logger LOG = System.getLogger(Foundation.class.getName());

  private static final Duration LONGEST_TRY = Duration.ofSeconds(60);
  static final long LEASE_MS = LONGEST_TRY.plus(LEASE_SLACK).toMillis();

  static Foundation of(EngineOptions options, EngineConnections opened, SystemTime time) {
    Database database = opened.database();
    Ids ids = new Ids(time::nowMs, new FastRandom());
    SecureRandom secureRandom = new SecureRandom();
    EvaluationServices evaluation = EvaluationServices.of(time);
    return new Foundation(
        options,
        opened,
        time,
        ids,
        ids.next(),
        database.dialect() == Dialect.SQLITE
            ? CommitWatermark.alone(ids, time)
            : CommitWatermark.shared(ids, time),
        secureRandom,
        MasterKeys.keyring(
            options.security(),
            options.names(),
            new JdbcDataKeyStore(database),
            ids,
            time,
            secureRandom),
        new Lanes(
            new LaneRoom(limits(options.delivery()), time),
            new SendRate(options.delivery().limits().sendRate(), time.nanos()),
            new ShardGroups(options.instance().shardGroups())),
        new TrustWindow(time, options.instance().deadAfter().toNanos() / 2, LEASE_MS),
        evaluation.evaluator(),
        evaluation.expressions());
  }

  private static LaneRoom.Limits limits(DeliveryOptions delivery) {
    Capacity capacity = Capacity.of(delivery.limits().maxInFlight());
    LOG.log(
        Level.INFO,
        "leases at most {0} deliveries at the same time ({1})",
        capacity.places(),
        capacity.why());
    return new LaneRoom.Limits(
        capacity.places(),
        delivery.limits().maxInFlightPerEndpoint(),
        delivery.limits().maxLeasedBytes(),
        new Share(delivery.limits().applicationShare()));
  }

  EventTtl eventTtl() {
    return new EventTtl(options.delivery().eventTtl());
  }

  Database database() {
    return opened.database();
  }

  SigningKeyGenerator signingKeys() {
    return new SigningKeyGenerator(options.delivery().defaultSignature(), secureRandom);
  }

  /** Whether this instance delivers, and does not only accept. */
  boolean delivers() {
    return options.role() != Role.API;
  }

  /** Random bits for ids: unpredictable enough to be unique, cheap enough for the hot path. */
  private static final class FastRandom implements RandomGenerator {
    @Override
    public long nextLong() {
      return ThreadLocalRandom.current().nextLong();
    }
  }
}
