package dev.postrider.app;

import dev.postrider.config.Config;
import dev.postrider.config.DeliveryConfig;
import dev.postrider.config.Role;
import dev.postrider.crypto.Keyring;
import dev.postrider.delivery.AutoDisable;
import dev.postrider.delivery.Breaker;
import dev.postrider.delivery.Claimer;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStores;
import dev.postrider.delivery.EndpointConfigs;
import dev.postrider.delivery.Finisher;
import dev.postrider.delivery.HotStatements;
import dev.postrider.delivery.LaneFinish;
import dev.postrider.delivery.LaneRoom;
import dev.postrider.delivery.Lanes;
import dev.postrider.delivery.Leased;
import dev.postrider.delivery.Liveness;
import dev.postrider.delivery.NoisyLanes;
import dev.postrider.delivery.Redrive;
import dev.postrider.delivery.RedriveStore;
import dev.postrider.delivery.Redriver;
import dev.postrider.delivery.Releaser;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.Sender;
import dev.postrider.delivery.ShapeStore;
import dev.postrider.delivery.Shaper;
import dev.postrider.delivery.Shaping;
import dev.postrider.delivery.http.AddressGuard;
import dev.postrider.delivery.http.Cidr;
import dev.postrider.delivery.http.EgressProxy;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.NameLookup;
import dev.postrider.delivery.http.OwnReceiver;
import dev.postrider.delivery.http.SenderSettings;
import dev.postrider.delivery.http.TargetRules;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointListener;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.RoutingStore;
import dev.postrider.eventtype.EventTypePolicies;
import dev.postrider.eventtype.EventTypeRules;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.maintenance.Checkpointer;
import dev.postrider.maintenance.DiskGuard;
import dev.postrider.maintenance.Duty;
import dev.postrider.maintenance.Heartbeat;
import dev.postrider.maintenance.HorizonKeeper;
import dev.postrider.maintenance.Instances;
import dev.postrider.maintenance.Pruner;
import dev.postrider.maintenance.PulseStore;
import dev.postrider.maintenance.Rescuer;
import dev.postrider.maintenance.Retention;
import dev.postrider.message.AcceptLoop;
import dev.postrider.message.Acceptor;
import dev.postrider.message.CheckedAcceptor;
import dev.postrider.message.GroupCommit;
import dev.postrider.message.RoutingCache;
import dev.postrider.operational.OperationalReports;
import dev.postrider.queue.QueueItemStore;
import dev.postrider.queue.Queues;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.statistics.CounterStore;
import dev.postrider.statistics.Counters;
import dev.postrider.statistics.StatisticsReader;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Horizon;
import dev.postrider.storage.SqliteDatabase;
import dev.postrider.task.Task;
import dev.postrider.task.TaskRunner;
import dev.postrider.task.TaskStatus;
import dev.postrider.task.TaskStore;
import dev.postrider.task.TaskWorks;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.ApplicationListener;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.tenant.JdbcDataKeyStore;
import dev.postrider.time.SystemTime;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The engine as a library: built from a config record in any Java process, started and stopped
 * explicitly. It accepts messages and delivers them; doors such as the HTTP API stand in front of
 * it.
 */
public final class Engine implements AutoCloseable {
  /** How long a lease lasts beyond the longest try: time to record the outcome. */
  static final Duration LEASE_SLACK = Duration.ofSeconds(30);

  static final Duration LONGEST_TRY = Duration.ofSeconds(60);
  static final Duration SWEEP_EVERY = Duration.ofSeconds(10);
  static final Duration DRAIN_LIMIT = Duration.ofSeconds(20);

  private final Config config;
  private final SystemTime time;
  private final SecureRandom secureRandom = new SecureRandom();
  private final Ids ids;
  private final Id instance;
  private final Horizon horizon;
  private final HorizonKeeper horizonKeeper;
  private final Databases.Opened opened;
  private final Keyring keyring;
  private final Lanes lanes;
  private final Liveness liveness;
  private final RoutingStore routingStore;
  private final EventTypePolicies eventTypePolicies;
  private final EventTypeStore eventTypes;
  private final EventTypeRules eventTypeRules;
  private final RoutingCache routings;
  private final EndpointStore endpoints;
  private final DeliveryStores deliveries;
  private final JsonataExpressions expressions;
  private final AgentRouteStore agentRoutes;
  private final Queues queues;
  private final OwnReceiver ownReceiver = new OwnReceiver();
  private final TargetRules targetRules;
  private final NameLookup lookup;
  private final AddressGuard guard;
  private final HttpSender http;
  private final EndpointConfigs endpointConfigs;
  private final Finisher finisher;
  private final Sender sender;
  private final Claimer claimer;
  private final AcceptLoop acceptLoop;
  private final Acceptor uncheckedAcceptor;
  private final Acceptor acceptor;
  private final Instances instances;
  private final Heartbeat heartbeat;
  private final Rescuer rescuer;
  private final Redrive redrive;
  private final MasterKeyRotation rotation;
  private final Pruner pruner;
  private final Counters counters;
  private final OperationalReports reports;
  private final TaskStore taskStore;
  private final TaskRunner taskRunner;
  private final Duty counting;
  private final @Nullable DiskGuard diskGuard;
  private final @Nullable Checkpointer checkpointer;
  private final DeliveryListener outside;
  private final List<Runnable> news = new CopyOnWriteArrayList<>();
  private volatile boolean draining;

  Engine(Config config, Databases.Opened opened, SystemTime time, DeliveryListener outside) {
    this.config = config;
    this.opened = opened;
    this.time = time;
    this.ids = new Ids(time, new FastRandom());
    this.instance = ids.next();
    this.horizon =
        opened.database().dialect() == Dialect.SQLITE
            ? Horizon.alone(ids, time)
            : Horizon.shared(ids, time);
    Database database = opened.database();
    this.counters = new Counters(new CounterStore(database), instance, time);
    this.counting = new Duty("counters", this::writeCounters);
    this.reports = new OperationalReports(database.dialect(), ids, time, this::queued);
    this.outside = outside;
    DeliveryListener listener = DeliveryListener.both(outside, counters);
    DeliveryConfig delivery = config.delivery();
    RetryPolicy schedule = new RetryPolicy(delivery.retrySchedule());
    this.keyring =
        Keys.keyring(config.security(), new JdbcDataKeyStore(database), ids, time, secureRandom);
    this.lanes =
        new Lanes(
            new LaneRoom(
                new LaneRoom.Limits(
                    delivery.limits().maxInFlight(),
                    delivery.limits().maxInFlightPerEndpoint(),
                    delivery.limits().maxLeased(),
                    delivery.limits().maxLeasedBytes())));
    long leaseMs = LONGEST_TRY.plus(LEASE_SLACK).toMillis();
    this.liveness = new Liveness(time, config.instance().deadAfter().toNanos() / 2, leaseMs);
    this.routingStore =
        new RoutingStore(
            database,
            keyring,
            time,
            new SignatureScheme.Standard(
                SignatureScheme.HeaderSpelling.valueOf(delivery.signatureHeaders().name())));
    this.eventTypePolicies = new EventTypePolicies(database, time);
    this.routings = new RoutingCache(routingStore);
    this.endpoints =
        new EndpointStore(database, keyring, ids, time, this::endpointChanged, reports);
    this.deliveries = DeliveryStores.of(database);
    this.expressions = new JsonataExpressions(ExpressionLimits.DEFAULT, time);
    this.agentRoutes = new AgentRouteStore(database, ids, time);
    this.queues =
        new Queues(new QueueItemStore(database, ids), new Shaping(expressions), outside, time);
    List<Cidr> allowed = config.security().allowTargets().stream().map(Cidr::parse).toList();
    this.targetRules = new TargetRules(config.security().requireHttps(), allowed, ownReceiver);
    this.lookup = new NameLookup(InetAddress::getAllByName, time, NameLookup.Limits.defaults());
    this.guard = new AddressGuard(allowed, lookup, ownReceiver);
    this.http = new HttpSender(senderSettings(delivery), guard, lookup, time);
    this.endpointConfigs = new EndpointConfigs(new ConfigSource(), targetRules, schedule, time);
    HotStatements statements = HotStatements.of(database.dialect());
    LaneFinish laneFinish =
        new LaneFinish(
            database,
            deliveries,
            statements,
            new Breaker.BreakerConfig(
                config.breaker().failures(),
                config.breaker().span(),
                config.breaker().cooldown(),
                config.breaker().maxCooldown()),
            new AutoDisable.Config(config.breaker().disableAfter().orElse(Duration.ZERO)),
            lanes,
            this::disable,
            listener,
            reports,
            time,
            new SplittableRandom());
    this.finisher = new Finisher(opened.finish(), statements, laneFinish, lanes, listener, time);
    this.sender =
        new Sender(
            http,
            endpointConfigs,
            finisher,
            new Releaser(deliveries.leases(), lanes, time),
            lanes,
            liveness,
            shaper(database),
            ids,
            time,
            new Sender.Settings(delivery.requestTimeout(), delivery.userAgent()));
    this.claimer =
        new Claimer(
            database,
            deliveries,
            statements,
            opened.claim(),
            sender,
            lanes,
            liveness,
            listener,
            instance,
            time,
            leaseMs,
            SWEEP_EVERY.toMillis());
    this.acceptLoop =
        new AcceptLoop(
            opened.accept(),
            database.dialect(),
            instance,
            new AcceptLoop.Limits(
                config.accept().batchRows(),
                config.accept().batchBytes(),
                config.accept().queueRows(),
                config.accept().queueBytes(),
                config.accept().idempotencyWindow().toMillis()),
            time);
    this.eventTypes = new EventTypeStore(database, ids, time, this::eventTypesChanged);
    this.eventTypeRules = new EventTypeRules(eventTypes, time);
    onNews(eventTypeRules::signal);
    GroupCommit groupCommit =
        new GroupCommit(
            routings,
            acceptLoop,
            lanes.room(),
            lanes.book(),
            new Births(),
            ids,
            horizon,
            time,
            config.role() != Role.API,
            leaseMs,
            this::accepting);
    this.uncheckedAcceptor = groupCommit;
    this.acceptor = new CheckedAcceptor(groupCommit, eventTypeRules, routings);
    this.redrive =
        new Redriver(
            new RedriveStore(database),
            lanes.book(),
            opened.signals()::tellOthers,
            listener,
            ids,
            time);
    this.taskStore = new TaskStore(database, time);
    this.taskRunner =
        new TaskRunner(
            database,
            taskStore,
            TaskWorks.all(
                new TaskWorks.Parts(
                    database,
                    applications(),
                    endpoints,
                    acceptor,
                    statistics(),
                    this::queued,
                    listener,
                    horizon,
                    time)),
            new TaskEnds(),
            instance,
            time);
    this.rotation = new MasterKeyRotation(config.security().masterKey(), keyring, secureRandom);
    this.pruner =
        new Pruner(
            database,
            new Retention(
                config.retention().delivered(),
                config.retention().deadLetters(),
                config.retention().unrouted()),
            config.retention().at(),
            time);
    SqliteDatabase sqlite = database instanceof SqliteDatabase file ? file : null;
    this.diskGuard = sqlite == null ? null : new DiskGuard(sqlite::freeBytes, acceptLoop::pause);
    this.checkpointer = sqlite == null ? null : new Checkpointer(sqlite);
    this.instances = new Instances(database);
    this.horizonKeeper = new HorizonKeeper(horizon, instances, instance, time);
    this.heartbeat =
        new Heartbeat(
            new PulseStore(database, opened.heartbeat()),
            instances,
            new Heartbeat.Identity(instance, hostName(), version(), config.role().name()),
            liveness,
            time,
            config.instance().heartbeat(),
            config.instance().deadAfter(),
            new NoisyLanes(deliveries.lanes(), lanes)::refresh);
    this.rescuer =
        new Rescuer(
            deliveries.leases(),
            instances,
            heartbeat::dead,
            lanes.held(),
            lanes.book(),
            instance,
            ids,
            time,
            schedule,
            listener,
            config.instance().heartbeat().dividedBy(2),
            config.instance().deadAfter().dividedBy(2));
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

  private Shaper shaper(Database database) {
    return new Shaper(new Shaping(expressions), new ShapeStore(database), agentRoutes);
  }

  private static SenderSettings senderSettings(DeliveryConfig delivery) {
    SenderSettings settings =
        SenderSettings.defaults(delivery.limits().maxInFlight())
            .withKeptBytes(delivery.maxResponseBytes());
    return delivery
        .egressProxy()
        .map(proxy -> settings.withProxy(egressProxy(proxy)))
        .orElse(settings);
  }

  private static EgressProxy egressProxy(dev.postrider.config.EgressProxy proxy) {
    String authorization =
        proxy
            .login()
            .map(
                login ->
                    "Basic "
                        + Base64.getEncoder()
                            .encodeToString(
                                (login.user() + ":" + login.password().reveal())
                                    .getBytes(StandardCharsets.UTF_8)))
            .orElse(null);
    return new EgressProxy(proxy.host(), proxy.port(), authorization);
  }

  /** Random bits for ids: unpredictable enough to be unique, cheap enough for the hot path. */
  private static final class FastRandom implements RandomGenerator {
    @Override
    public long nextLong() {
      return ThreadLocalRandom.current().nextLong();
    }
  }

  private static String hostName() {
    String name = System.getenv("HOSTNAME");
    return name == null || name.isBlank() ? "localhost" : name;
  }

  private static String version() {
    String version = Engine.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  /** Starts everything; when this returns, messages can be accepted. */
  public void start() {
    refuseForeignKeys();
    new EnvironmentStore(opened.database(), time).ensureDefault();
    lookup.start();
    http.start();
    if (opened.database().dialect() == Dialect.SQLITE) {
      liveness.trustAlways();
      rescueAllAtStart();
    }
    heartbeat.start();
    if (opened.database().dialect() == Dialect.POSTGRES) {
      horizonKeeper.start();
    }
    finisher.start();
    if (checkpointer != null && diskGuard != null) {
      checkpointer.start();
      diskGuard.start();
    }
    acceptLoop.start();
    rotation.start();
    counting.start();
    if (config.role() != Role.API) {
      claimer.start();
      rescuer.start();
      pruner.start();
      taskRunner.start();
      opened
          .signals()
          .start(
              () -> {
                claimer.sweepSoon();
                news.forEach(Runnable::run);
              });
    } else {
      opened.signals().start(() -> news.forEach(Runnable::run));
    }
  }

  /**
   * Secrets wrapped by another master key could not be read: better told now than at the first
   * send.
   */
  private void refuseForeignKeys() {
    Set<String> missing = keyring.missingMasters();
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "the database holds secrets under the master key %s, and this instance has %s: give every instance the same POSTRIDER_MASTER_KEY (or _FILE)"
              .formatted(String.join(", ", missing), keyring.currentMasterId()));
    }
  }

  /** The data folder is ours alone: whoever held these leases is gone. */
  private void rescueAllAtStart() {
    int rescued;
    do {
      rescued = rescuer.rescue(Set.copyOf(deliveries.leases().leaseHolders()));
    } while (rescued > 0);
    instances.all().forEach(seen -> instances.remove(seen.id()));
    taskStore.releaseAll();
  }

  /**
   * Ends at once and without a word to the database, as a killed process would: for tests of what
   * the others then do.
   */
  void halt() {
    draining = true;
    lanes.room().close();
    sender.halt();
    finisher.halt();
    heartbeat.stop();
    horizonKeeper.stop();
    rotation.stop();
    counting.stop();
    if (config.role() != Role.API) {
      claimer.stop();
      rescuer.stop();
      pruner.stop();
      taskRunner.halt();
    }
    acceptLoop.stop();
    closeConnections();
  }

  /** How far a reader by message id may go without missing one. */
  public Horizon horizon() {
    return horizon;
  }

  /**
   * Stops saying that this instance lives while all else goes on, as if it were cut off: for tests.
   */
  void stopHeartbeat() {
    heartbeat.stop();
  }

  /**
   * Stops in the order of engine rule 37; tries that outlast the limit are left to rescue, never
   * recorded as failures.
   */
  @Override
  public void close() {
    stopTakingWork();
    if (config.role() != Role.API) {
      claimer.stop();
      rescuer.stop();
      pruner.stop();
      taskRunner.stop();
    }
    acceptLoop.stop();
    sender.drain(DRAIN_LIMIT);
    finisher.stop(TimeUnit.SECONDS.toMillis(10));
    rotation.stop();
    counting.stop();
    writeLastCounters();
    heartbeat.stop();
    horizonKeeper.stop();
    try {
      if (deliveries.leases().leasesOf(instance, 1).isEmpty()) {
        instances.remove(instance);
      }
    } catch (RuntimeException e) {
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.DEBUG, "the instance row stays for the others to clear", e);
    }
    closeConnections();
  }

  private long writeCounters() {
    counters.flush();
    return counters.untilNextMinuteMs();
  }

  private void writeLastCounters() {
    try {
      counters.flush();
    } catch (RuntimeException e) {
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "the last counts are lost: {0}", e.getMessage());
    }
  }

  private void closeConnections() {
    if (checkpointer != null && diskGuard != null) {
      diskGuard.stop();
      checkpointer.stop();
    }
    expressions.close();
    opened.signals().close();
    http.close();
    lookup.close();
    opened.accept().close();
    opened.finish().close();
    opened.claim().close();
    opened.heartbeat().close();
    opened.database().close();
  }

  /**
   * Claims and births end; what is accepted from now on waits for another instance or the next
   * start.
   */
  public void stopTakingWork() {
    draining = true;
    lanes.room().close();
    queues.close();
  }

  /** Runs this when another instance says that something changed; it must be quick. */
  public void onNews(Runnable listener) {
    news.add(listener);
  }

  /** Says so to the other instances. */
  public void tellOthers() {
    opened.signals().tellOthers();
  }

  HttpSender http() {
    return http;
  }

  /** To be given to stores that change endpoints. */
  public EndpointListener endpointListener() {
    return this::endpointChanged;
  }

  public int acceptsWaiting() {
    return acceptLoop.waiting();
  }

  public int finishesWaiting() {
    return finisher.waiting();
  }

  /** Whether the database answers, as far as the last heartbeat and the last batch tell. */
  public boolean databaseAnswers() {
    return !acceptLoop.away() && liveness.fresh();
  }

  int accepting() {
    return heartbeat.accepting();
  }

  private void disable(Id applicationId, Id endpointId, String reason) {
    endpoints.disable(applicationId, endpointId, reason);
  }

  private void endpointChanged(Id applicationId, Id endpointId, EndpointListener.Change change) {
    endpointConfigs.forget(endpointId);
    reports.committed(List.of(applicationId));
    switch (change) {
      case CREATED, SECRET_ROTATED -> {}
      case UPDATED, ENABLED, RESUMED -> {
        lanes.gates().open(endpointId);
        lookAt(endpointId);
      }
      case DISABLED, DELETED -> lookAt(endpointId);
      case PAUSED -> lanes.gates().close(endpointId, Long.MAX_VALUE);
    }
    opened.signals().tellOthers();
  }

  /** More waits on the lane than this instance and the others know of. */
  private void queued(Id laneId) {
    lanes.book().add(laneId, time.nowMs());
    opened.signals().tellOthers();
  }

  private void lookAt(Id endpointId) {
    lanes.book().unpark(endpointId, time.nowMs());
  }

  /** To be told after a change of an environment's event types or settings. */
  public void eventTypesChanged(String environmentId) {
    eventTypeRules.forget(environmentId);
    opened.signals().tellOthers();
  }

  /** To be given to the application store, whose changes concern the queue too. */
  public ApplicationListener applicationListener() {
    return (applicationId, change, deletedEndpoints) -> {
      deletedEndpoints.forEach(this::lookAt);
      reports.committed(List.of(applicationId));
      claimer.sweepSoon();
      opened.signals().tellOthers();
    };
  }

  private final class TaskEnds implements TaskRunner.EndReport {
    @Override
    public void ended(Handle handle, Task task, TaskStatus status, ObjectNode data) {
      reports.taskEnded(
          handle, task.environmentId(), task.id(), task.kind().shown(), status.text(), data);
    }

    @Override
    public void committed(Task task) {
      reports.committed(List.of(task.id()));
    }
  }

  private final class Births implements GroupCommit.HandOver {
    @Override
    public void born(Leased leased) {
      sender.start(leased);
    }

    @Override
    public void waitsForReader() {
      queues.messageArrived();
    }

    @Override
    public void leftForOthers() {
      opened.signals().tellOthers();
    }

    @Override
    public void accepted(Id applicationId, Id messageId, String eventType, List<Id> accepting) {
      counters.accepted(applicationId, accepting);
      outside.accepted(applicationId, messageId, eventType, accepting.size());
    }
  }

  private final class ConfigSource implements EndpointConfigs.Source {
    @Override
    public @Nullable EndpointConfig load(Id applicationId, Id endpointId) {
      return routingStore.loadConfig(applicationId, endpointId);
    }

    @Override
    public @Nullable String eventTypeRetryPolicy(EndpointConfig config, String eventType) {
      return eventTypePolicies.retryPolicy(
          config.environmentId(), config.applicationId(), eventType);
    }
  }

  // ---- what doors and tests need ----

  public Config config() {
    return config;
  }

  public Database database() {
    return opened.database();
  }

  /** For messages of our own, which no event type forbids. */
  Acceptor uncheckedAcceptor() {
    return uncheckedAcceptor;
  }

  public Acceptor acceptor() {
    return acceptor;
  }

  public EventTypeStore eventTypes() {
    return eventTypes;
  }

  public EndpointStore endpoints() {
    return endpoints;
  }

  public DeliveryStores deliveries() {
    return deliveries;
  }

  public RoutingCache routings() {
    return routings;
  }

  public Keyring keyring() {
    return keyring;
  }

  public Queues queues() {
    return queues;
  }

  public AgentRouteStore agentRoutes() {
    return agentRoutes;
  }

  public Expressions expressions() {
    return expressions;
  }

  /** What endpoint URLs must obey. */
  public TargetRules targetRules() {
    return targetRules;
  }

  /** The server's own echo receiver, the one exempt target. */
  public OwnReceiver ownReceiver() {
    return ownReceiver;
  }

  public Redrive redrive() {
    return redrive;
  }

  public AddressGuard guard() {
    return guard;
  }

  public Ids ids() {
    return ids;
  }

  public SystemTime time() {
    return time;
  }

  public Id instance() {
    return instance;
  }

  /** True while the engine is taking new work and its database answers. */
  public boolean healthy() {
    return !draining && !acceptLoop.away() && !acceptLoop.paused() && liveness.fresh();
  }

  /** What was counted, here and on the other instances. */
  public StatisticsReader statistics() {
    return new StatisticsReader(new CounterStore(opened.database()), counters, time);
  }

  /** To be used by all who change applications. */
  public ApplicationStore applications() {
    return new ApplicationStore(opened.database(), ids, time, applicationListener(), reports);
  }

  /** To be used by all who change endpoints' secrets and headers. */
  public EndpointSecrets secrets() {
    return new EndpointSecrets(opened.database(), keyring, ids, time, endpointListener(), reports);
  }

  /** Where tasks are started and read. */
  public Tasks tasks() {
    return new Tasks(taskStore, ids, taskRunner::wake);
  }

  /** Writes what was counted now, instead of at the end of the minute. */
  public void flushCounters() {
    counters.flush();
  }

  public Pruner pruner() {
    return pruner;
  }

  public Lanes lanes() {
    return lanes;
  }

  public boolean isSqlite() {
    return opened.database() instanceof SqliteDatabase;
  }
}
