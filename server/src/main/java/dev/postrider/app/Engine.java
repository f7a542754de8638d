package dev.postrider.app;

import dev.postrider.config.Config;
import dev.postrider.crypto.Keyring;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.delivery.http.AddressGuard;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.OwnReceiver;
import dev.postrider.delivery.http.TargetRules;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.loop.Redrive;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointListener;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.expression.Expressions;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.maintenance.DiskGuard;
import dev.postrider.maintenance.Pruner;
import dev.postrider.message.Acceptor;
import dev.postrider.operational.OperationalReports;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.Queues;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.statistics.StatisticsReader;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.SqliteDatabase;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.ApplicationListener;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The engine as a library: built from a config record in any Java process, started and stopped
 * explicitly. It accepts messages and delivers them; doors such as the HTTP API stand in front of
 * it.
 */
public final class Engine implements AutoCloseable {
  static final Duration DRAIN_LIMIT = Duration.ofSeconds(20);

  private final Foundation base;
  private final Reporting reporting;
  private final Targets targets;
  private final Outbound outbound;
  private final Upkeep upkeep;
  private final Intake intake;
  private final Upkeep.@Nullable OfFile fileUpkeep;
  private final TaskParts tasks;
  private final List<Runnable> news = new CopyOnWriteArrayList<>();
  private volatile boolean draining;
  private final AtomicBoolean drained = new AtomicBoolean();

  Engine(Config config, Databases.Opened opened, SystemTime time, DeliveryListener outside) {
    this.base = Foundation.of(config, opened, time);
    this.reporting = Reporting.of(base, outside);
    this.targets = Targets.of(base);
    this.outbound = Outbound.of(base, reporting, targets);
    this.upkeep = Upkeep.of(base, reporting, outbound);
    this.intake = new Intake(base, reporting, outbound, upkeep.heartbeat()::accepting);
    this.fileUpkeep = Upkeep.OfFile.of(base, intake.acceptLoop());
    this.tasks = TaskParts.of(base, reporting, outbound, intake, applications());
    onNews(intake::lookAtEventTypes);
    QueueStore queues = outbound.queueRows(base, reporting);
    upkeep
        .pruner()
        .also(
            (_, _) -> {
              queues.finishDeletions();
              return 0;
            });
  }

  /** Opens the database, brings its schema up to date and builds the parts; nothing runs yet. */
  public static Engine open(Config config, DeliveryListener listener) {
    return open(config, listener, new SystemTime());
  }

  /** With a clock that the caller has chosen; it follows the database's from now on. */
  public static Engine open(Config config, DeliveryListener listener, SystemTime time) {
    Databases.Opened opened = Databases.open(config.storage(), time);
    // Before the first id: ids never go back, and one from a wrong clock would pull all others on.
    long asked = time.nanos();
    time.followDatabase(opened.database().databaseMs(), asked, time.nanos());
    return new Engine(config, opened, time, listener);
  }

  /** Starts everything; when this returns, messages can be accepted. */
  public void start() {
    refuseForeignKeys();
    new EnvironmentStore(base.database(), base.time()).ensureDefault();
    targets.start();
    if (base.database().dialect() == Dialect.SQLITE) {
      base.trust().trustAlways();
      rescueAllAtStart();
    }
    upkeep.heartbeat().start();
    if (base.database().dialect() == Dialect.POSTGRES) {
      upkeep.horizonKeeper().start();
    }
    outbound.finisher().start();
    if (fileUpkeep != null) {
      fileUpkeep.start();
    }
    intake.acceptLoop().start();
    upkeep.rotation().start();
    upkeep.counting().start();
    if (base.delivers()) {
      outbound.claimer().start();
      upkeep.rescuer().start();
      upkeep.pruner().start();
      tasks.runner().start();
    }
    base.opened().signals().start(this::hearNews);
  }

  private void hearNews() {
    if (base.delivers()) {
      outbound.claimer().sweepSoon();
    }
    news.forEach(Runnable::run);
  }

  /**
   * Secrets wrapped by another master key could not be read: better told now than at the first
   * send.
   */
  private void refuseForeignKeys() {
    Set<String> missing = base.keyring().missingMasters();
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "the database holds secrets under the master key %s, and this instance has %s: give every instance the same POSTRIDER_MASTER_KEY (or _FILE)"
              .formatted(String.join(", ", missing), base.keyring().currentMasterId()));
    }
  }

  /** The data folder is ours alone: whoever held these leases is gone. */
  private void rescueAllAtStart() {
    int rescued;
    do {
      rescued = upkeep.rescuer().rescue(Set.copyOf(deliveries().leases().leaseHolders()));
    } while (rescued > 0);
    upkeep.instances().all().forEach(seen -> upkeep.instances().remove(seen.id()));
    tasks.store().releaseAll();
  }

  /**
   * Ends at once and without a word to the database, as a killed process would: for tests of what
   * the others then do.
   */
  void halt() {
    draining = true;
    base.lanes().room().close();
    outbound.sender().halt();
    outbound.finisher().halt();
    upkeep.heartbeat().stop();
    upkeep.horizonKeeper().stop();
    upkeep.rotation().stop();
    upkeep.counting().stop();
    if (base.delivers()) {
      stopDelivering();
      tasks.runner().halt();
    }
    intake.acceptLoop().stop();
    closeConnections();
  }

  /**
   * Stops saying that this instance lives while all else goes on, as if it were cut off: for tests.
   */
  void stopHeartbeat() {
    upkeep.heartbeat().stop();
  }

  /**
   * Stops in the order of engine rule 37; tries that outlast the limit are left to rescue, never
   * recorded as failures.
   */
  @Override
  public void close() {
    drain();
    outbound.finisher().stop(TimeUnit.SECONDS.toMillis(10));
    upkeep.rotation().stop();
    upkeep.counting().stop();
    reporting.writeLast();
    upkeep.heartbeat().stop();
    upkeep.horizonKeeper().stop();
    upkeep.removeInstance(base, deliveries());
    closeConnections();
  }

  /**
   * The first half of stopping: accepts are refused, open batches committed, and tries under way
   * have their time to end. Those who ask can still be answered meanwhile, and afterwards.
   */
  void drain() {
    if (drained.getAndSet(true)) {
      return;
    }
    stopTakingWork();
    if (base.delivers()) {
      stopDelivering();
      tasks.runner().stop();
    }
    intake.acceptLoop().stop();
    outbound.sender().drain(DRAIN_LIMIT);
  }

  private void stopDelivering() {
    outbound.claimer().stop();
    upkeep.rescuer().stop();
    upkeep.pruner().stop();
  }

  private void closeConnections() {
    if (fileUpkeep != null) {
      fileUpkeep.stop();
    }
    base.evaluator().close();
    base.opened().signals().close();
    targets.close();
    base.opened().close();
  }

  /**
   * Claims and births end; what is accepted from now on waits for another instance or the next
   * start.
   */
  public void stopTakingWork() {
    draining = true;
    base.lanes().room().close();
    outbound.queues().close();
  }

  /** Runs this when another instance says that something changed; it must be quick. */
  public void onNews(Runnable listener) {
    news.add(listener);
  }

  /** Says so to the other instances. */
  public void tellOthers() {
    base.tellOthers();
  }

  /** To be given to stores that change endpoints. */
  public EndpointListener endpointListener() {
    return outbound.changes();
  }

  /** To be told of what else changes deliveries. */
  public DeliveryListener deliveryListener() {
    return reporting.listener();
  }

  /** To be told within the transactions that change endpoints or delete applications. */
  OperationalReports reports() {
    return reporting.reports();
  }

  /** To be told after a change of an environment's event types or settings. */
  public void eventTypesChanged(String environmentId) {
    intake.eventTypesChanged(environmentId);
  }

  /** To be given to the application store, whose changes concern the queue too. */
  public ApplicationListener applicationListener() {
    return (applicationId, change, deletedEndpoints) -> {
      outbound.changes().deleted(applicationId, deletedEndpoints);
      if (change == ApplicationListener.Change.DELETED) {
        outbound.queueRows(base, reporting).applicationDeleted(applicationId);
      }
      reporting.reports().committed(List.of(applicationId));
      outbound.claimer().sweepSoon();
      base.tellOthers();
    };
  }

  // ---- what doors and tests need ----

  /** True while the engine is taking new work and its database answers. */
  public boolean healthy() {
    return !draining
        && !intake.acceptLoop().unavailable()
        && !intake.acceptLoop().paused()
        && !base.evaluator().isExhausted()
        && base.trust().fresh();
  }

  /** Why work is refused although the database answers; null if it is not. */
  public @Nullable String refusing() {
    if (base.evaluator().isExhausted()) {
      return "all threads that evaluate expressions and schemas are stuck; restart the server";
    }
    return intake.acceptLoop().paused()
        ? "the disk of the data folder is nearly full: no message is accepted until at least %d MB are free"
            .formatted((DiskGuard.MIN_FREE_BYTES + DiskGuard.SLACK_BYTES) >> 20)
        : null;
  }

  /** What the disk guard does when there is no room: for tests. */
  void pauseAccepts(boolean noRoom) {
    intake.acceptLoop().pause(noRoom);
  }

  /** Whether the database answers, as far as the last heartbeat and the last batch tell. */
  public boolean databaseAnswers() {
    return !intake.acceptLoop().unavailable() && base.trust().fresh();
  }

  public int acceptsWaiting() {
    return intake.acceptLoop().waiting();
  }

  public int finishesWaiting() {
    return outbound.finisher().waiting();
  }

  int accepting() {
    return upkeep.heartbeat().accepting();
  }

  /** How many instances deliver, with this one. */
  int delivering() {
    return upkeep.heartbeat().delivering();
  }

  public Config config() {
    return base.config();
  }

  public Database database() {
    return base.database();
  }

  public boolean isSqlite() {
    return base.database() instanceof SqliteDatabase;
  }

  /** How far a reader by message id may go without missing one. */
  public CommitWatermark horizon() {
    return base.watermark();
  }

  public Keyring keyring() {
    return base.keyring();
  }

  public Expressions expressions() {
    return base.expressions();
  }

  Evaluator evaluator() {
    return base.evaluator();
  }

  public Lanes lanes() {
    return base.lanes();
  }

  public Ids ids() {
    return base.ids();
  }

  SigningKeyGenerator signingKeys() {
    return base.signingKeys();
  }

  public SystemTime time() {
    return base.time();
  }

  public Id instance() {
    return base.instance();
  }

  /** For messages of our own, which no event type forbids. */
  Acceptor uncheckedAcceptor() {
    return intake.unchecked();
  }

  public Acceptor acceptor() {
    return intake.checked();
  }

  public RoutingCache routings() {
    return intake.routings();
  }

  public EventTypeStore eventTypes() {
    return intake.eventTypes();
  }

  public EndpointStore endpoints() {
    return outbound.endpoints();
  }

  public DeliveryStores deliveries() {
    return outbound.deliveries();
  }

  public Queues queues() {
    return outbound.queues();
  }

  public AgentRouteStore agentRoutes() {
    return outbound.agentRoutes();
  }

  public Redrive redrive() {
    return outbound.redrive();
  }

  HttpSender http() {
    return targets.http();
  }

  /** What endpoint URLs must obey. */
  public TargetRules targetRules() {
    return targets.rules();
  }

  /** The server's own echo receiver, the one exempt target. */
  public OwnReceiver ownReceiver() {
    return targets.ownReceiver();
  }

  public AddressGuard guard() {
    return targets.guard();
  }

  public Pruner pruner() {
    return upkeep.pruner();
  }

  /** What was counted, here and on the other instances. */
  public StatisticsReader statistics() {
    return reporting.statistics(base);
  }

  /** Writes what was counted now, instead of at the end of the minute. */
  public void flushCounters() {
    reporting.counters().flush();
  }

  /** To be used by all who change applications. */
  public ApplicationStore applications() {
    return new ApplicationStore(
        base.database(), base.ids(), base.time(), applicationListener(), reporting.reports());
  }

  /** To be used by all who change endpoints' secrets and headers. */
  public EndpointSecrets secrets() {
    return outbound.secrets(base, reporting);
  }

  /** Where tasks are started and read. */
  public Tasks tasks() {
    return tasks.tasks(base);
  }
}
