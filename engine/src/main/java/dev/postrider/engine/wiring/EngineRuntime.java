package dev.postrider.engine.wiring;

import dev.postrider.audit.AuditStore;
import dev.postrider.delivery.loop.step.StepEngine;
import dev.postrider.endpoint.EndpointCounts;
import dev.postrider.engine.services.DeliveryReaders;
import dev.postrider.engine.services.DeliveryServices;
import dev.postrider.engine.services.DryRuns;
import dev.postrider.engine.services.EndpointServices;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.engine.services.EngineStatus;
import dev.postrider.engine.services.EvaluationServices;
import dev.postrider.engine.services.EventTypeServices;
import dev.postrider.engine.services.MessageServices;
import dev.postrider.engine.services.NotificationServices;
import dev.postrider.engine.services.OperationsServices;
import dev.postrider.engine.services.QueueServices;
import dev.postrider.engine.services.StepServices;
import dev.postrider.engine.services.StorageServices;
import dev.postrider.engine.services.TargetServices;
import dev.postrider.engine.services.TenantServices;
import dev.postrider.event.PeerChange;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.maintenance.DayKeeper;
import dev.postrider.maintenance.DiskGuard;
import dev.postrider.maintenance.PruneRuns;
import dev.postrider.message.MessageReader;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.EngineOptions;
import dev.postrider.options.OptionNames;
import dev.postrider.options.OptionNames.Option;
import dev.postrider.queue.QueueFilter;
import dev.postrider.queue.QueueStore;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.open.Databases;
import dev.postrider.tenant.ApplicationChanged;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.tenant.OperationalWebhooks;
import dev.postrider.tenant.key.ApiKeyStore;
import dev.postrider.tenant.key.IntegrationStore;
import dev.postrider.time.SystemTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** All parts of one engine, and the order in which they start and stop. */
public final class EngineRuntime {
  static final Duration DRAIN_LIMIT = Duration.ofSeconds(20);

  private final Foundation base;
  private final Reporting reporting;
  private final TargetParts targets;
  private final Outbound outbound;
  private final Upkeep upkeep;
  private final Intake intake;
  private final Upkeep.@Nullable OfFile fileUpkeep;
  private final TaskParts tasks;
  private final EngineServices services;
  private volatile boolean draining;
  private final AtomicBoolean drained = new AtomicBoolean();

  EngineRuntime(EngineOptions options, EngineConnections connections, SystemTime time) {
    this.base = Foundation.of(options, connections, time);
    this.reporting = Reporting.of(base);
    this.targets = TargetParts.of(base);
    this.outbound = Outbound.of(base, reporting, targets);
    this.upkeep = Upkeep.of(base, reporting, outbound);
    this.intake = new Intake(base, reporting, outbound, upkeep.heartbeat()::accepting);
    this.fileUpkeep = Upkeep.OfFile.of(base, intake.acceptLoop());
    this.tasks = TaskParts.of(base, reporting, outbound, intake, applications());
    reporting.events().afterCommit(ApplicationChanged.class, this::applicationChanged);
    QueueStore queues = outbound.queueRows(base, reporting);
    upkeep
        .pruner()
        .also(
            (_, _) -> {
              queues.finishDeletions();
              return 0;
            });
    this.services = makeServices();
  }

  /**
   * Opens the database, migrates its schema and builds the parts; nothing runs yet.
   *
   * @param time follows the clock of the database from now on
   */
  public static EngineRuntime open(
      DatabaseOptions database, EngineOptions options, SystemTime time) {
    Database opened = Databases.open(database, options.names(), time::machineMs);
    // Before the first id: ids never go back, and one from a wrong clock would move all later
    // ones.
    long asked = time.nanos();
    time.followDatabase(opened.databaseMs(), asked, time.nanos());
    return new EngineRuntime(options, EngineConnections.of(opened), time);
  }

  private EngineServices makeServices() {
    Database database = base.database();
    StorageServices storage =
        new StorageServices(
            database,
            base.keyring(),
            base.ids(),
            base.time(),
            base.signingKeys(),
            base.watermark());
    return new EngineServices(
        storage,
        tenants(),
        new EndpointServices(
            outbound.endpoints(),
            outbound.secrets(base, reporting),
            outbound.agentRoutes(),
            new EndpointCounts(database)),
        new TargetServices(targets.rules(), targets.guard(), targets.ownReceiver(), targets.http()),
        new EventTypeServices(intake.eventTypes()),
        messages(),
        new DeliveryServices(
            DeliveryReaders.of(database, reporting.listener()),
            outbound.actions().redrive(),
            outbound.actions().canceler(),
            outbound.actions().tests(),
            reporting.statistics(base),
            steps()),
        QueueServices.of(
            storage,
            outbound.queueRows(base, reporting),
            outbound.queues(),
            new QueueFilter(base.expressions())),
        new EvaluationServices(base.evaluator(), base.expressions()),
        new OperationsServices(
            tasks.tasks(base, reporting),
            new AuditStore(database),
            new PruneRequests(new PruneRuns(database, base.time()), upkeep.pruner()),
            tasks.reseals()::also),
        new NotificationServices(reporting.events(), reporting.outside(), reporting.listener()),
        new RuntimeStatus());
  }

  private StepServices steps() {
    StepEngine steps = outbound.steps(base, reporting);
    return new StepServices(
        steps,
        (work, configs, responseBytes) -> {
          targets.stepConfigs().set(configs);
          steps.use(work, responseBytes);
        });
  }

  private TenantServices tenants() {
    ApplicationStore applications = applications();
    ApiKeyStore apiKeys =
        new ApiKeyStore(base.database(), base.ids(), base.time(), base.secureRandom());
    return new TenantServices(
        applications,
        environments(),
        apiKeys,
        new IntegrationStore(
            base.database(), apiKeys, base.keyring(), base.ids(), base.time(), base.secureRandom()),
        new OperationalWebhooks(applications));
  }

  private MessageServices messages() {
    return new MessageServices(
        intake.checked(),
        intake.unchecked(),
        new MessageReader(base.database()),
        intake.routings(),
        new DryRuns(intake.routings(), outbound.endpoints(), base.expressions(), base.time()),
        intake.starts(),
        intake.publisher());
  }

  /** The parts that the server uses. */
  public EngineServices services() {
    return services;
  }

  /** Starts everything; when this returns, messages can be accepted. */
  public void start() {
    refuseForeignKeys();
    environments().ensureDefault();
    targets.start();
    if (base.database().dialect() == Dialect.SQLITE) {
      base.trust().trustAlways();
      rescueAllAtStart();
    }
    DayKeeper days = DayKeeper.of(base.database(), base.time());
    if (days != null) {
      days.createToday();
    }
    upkeep.heartbeat().start();
    upkeep.unhealthyLanes().start();
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
      upkeep.expirer().start();
      upkeep.pruner().start();
      upkeep.keyRotation().start();
      tasks.runner().start();
    }
    base.opened().signals().start(this::hearNews);
  }

  private void hearNews() {
    if (base.delivers()) {
      outbound.claimer().sweepSoon();
    }
    reporting.events().publish(new PeerChange());
  }

  /**
   * Secrets encrypted with another master key could not be read: better reported now than at the
   * first send.
   */
  private void refuseForeignKeys() {
    Set<String> missing = base.keyring().missingMasters();
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "the secrets in the database are encrypted with master key %s, but this instance has %s: configure the same master key on every instance, with %s"
              .formatted(
                  String.join(", ", missing),
                  base.keyring().currentMasterId(),
                  masterKeyOptions()));
    }
  }

  private String masterKeyOptions() {
    OptionNames names = base.options().names();
    String text = names.of(Option.MASTER_KEY);
    String file = names.of(Option.MASTER_KEY_FILE);
    return text.equals(file) ? text : text + " or " + file;
  }

  /** The data folder is used only by this process: the holders of these leases are dead. */
  private void rescueAllAtStart() {
    int rescued;
    do {
      rescued = upkeep.rescuer().rescue(Set.copyOf(outbound.deliveries().rescues().leaseHolders()));
    } while (rescued > 0);
    upkeep.instances().all().forEach(seen -> upkeep.instances().remove(seen.id()));
    tasks.store().releaseAll();
  }

  /** Stops at once without any database access, as a killed process would. */
  void halt() {
    draining = true;
    base.lanes().room().close();
    outbound.sender().halt();
    outbound.finisher().halt();
    upkeep.heartbeat().stop();
    upkeep.unhealthyLanes().stop();
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
   * Stops in the order of engine rule 37; attempts that exceed the limit are left to rescue, never
   * recorded as failures.
   */
  public void close() {
    drain();
    outbound.finisher().stop(TimeUnit.SECONDS.toMillis(10));
    upkeep.rotation().stop();
    upkeep.counting().stop();
    reporting.writeLast();
    upkeep.heartbeat().stop();
    upkeep.unhealthyLanes().stop();
    upkeep.horizonKeeper().stop();
    upkeep.removeInstance(base, outbound.deliveries());
    closeConnections();
  }

  /**
   * The first half of stopping: messages are rejected, open batches committed, and attempts in
   * progress may finish. Reads are still possible meanwhile and afterwards.
   */
  public void drain() {
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
    upkeep.expirer().stop();
    upkeep.pruner().stop();
    upkeep.keyRotation().stop();
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
   * Claims and leases at insert stop; deliveries accepted from now on wait for another instance or
   * the next start.
   */
  public void stopTakingWork() {
    draining = true;
    base.lanes().room().close();
    outbound.queues().close();
  }

  private void applicationChanged(ApplicationChanged changed) {
    Id applicationId = changed.applicationId().value();
    outbound.changes().deleted(applicationId, changed.deletedEndpoints());
    if (changed.change() == ApplicationChanged.Change.DELETED) {
      outbound.queueRows(base, reporting).applicationDeleted(new ApplicationId(applicationId));
      base.keyring().forget(new ApplicationId(applicationId));
    }
    outbound.claimer().sweepSoon();
  }

  private EnvironmentStore environments() {
    return new EnvironmentStore(base.database(), base.time(), reporting.events());
  }

  private ApplicationStore applications() {
    return new ApplicationStore(base.database(), base.ids(), base.time(), reporting.events());
  }

  // Fault-injecting fixtures of the tests reach the parts through these.

  Upkeep upkeep() {
    return upkeep;
  }

  Intake intake() {
    return intake;
  }

  Reporting reporting() {
    return reporting;
  }

  Outbound outbound() {
    return outbound;
  }

  Foundation base() {
    return base;
  }

  /** The status of this engine, read from its components. */
  private final class RuntimeStatus implements EngineStatus {
    @Override
    public Id instance() {
      return base.instance();
    }

    @Override
    public boolean isHealthy() {
      return !draining
          && !intake.acceptLoop().unavailable()
          && !intake.acceptLoop().paused()
          && !base.evaluator().isExhausted()
          && base.trust().fresh();
    }

    @Override
    public boolean databaseAnswers() {
      return !intake.acceptLoop().unavailable() && base.trust().fresh();
    }

    @Override
    public @Nullable String refusing() {
      if (base.evaluator().isExhausted()) {
        return "all threads that evaluate expressions and schemas are stuck; restart the server";
      }
      return intake.acceptLoop().paused()
          ? "the disk of the data folder is nearly full: messages are rejected until at least %d MB are free"
              .formatted((DiskGuard.MIN_FREE_BYTES + DiskGuard.SLACK_BYTES) >> 20)
          : null;
    }

    @Override
    public int acceptsWaiting() {
      return intake.acceptLoop().waiting();
    }

    @Override
    public int finishesWaiting() {
      return outbound.finisher().waiting();
    }

    @Override
    public Duration claimLag() {
      return base.delivers() ? Duration.ofMillis(outbound.claimer().lagMs()) : Duration.ZERO;
    }

    @Override
    public int attemptsInFlight() {
      return base.lanes().room().inFlight();
    }

    @Override
    public int deliveriesLeased() {
      return base.lanes().room().leased();
    }

    @Override
    public int lanesWaiting() {
      return base.lanes().book().size();
    }

    @Override
    public List<Id> lanesWaitingSince(Instant due, int limit) {
      return base.lanes().book().waitingSince(due.toEpochMilli(), limit);
    }

    @Override
    public int deliveringInstances() {
      return upkeep.heartbeat().delivering();
    }

    @Override
    public int acceptingInstances() {
      return upkeep.heartbeat().accepting();
    }
  }
}
