package dev.postrider.engine.wiring;

import dev.postrider.audit.AuditStore;
import dev.postrider.delivery.accept.AcceptLoop;
import dev.postrider.delivery.loop.Expirer;
import dev.postrider.delivery.loop.UnhealthyLanes;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.maintenance.Checkpointer;
import dev.postrider.maintenance.DiskGuard;
import dev.postrider.maintenance.Heartbeat;
import dev.postrider.maintenance.HeartbeatStore;
import dev.postrider.maintenance.Instances;
import dev.postrider.maintenance.KeyRotation;
import dev.postrider.maintenance.MasterKeyRotation;
import dev.postrider.maintenance.Pruner;
import dev.postrider.maintenance.Rescuer;
import dev.postrider.maintenance.WatermarkPublisher;
import dev.postrider.options.InstanceOptions;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.thread.PeriodicLoop;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The maintenance loops: heartbeat, rescue, pruning and others. */
record Upkeep(
    Instances instances,
    Heartbeat heartbeat,
    UnhealthyLanes unhealthyLanes,
    WatermarkPublisher horizonKeeper,
    Rescuer rescuer,
    Expirer expirer,
    Pruner pruner,
    KeyRotation keyRotation,
    MasterKeyRotation rotation,
    PeriodicLoop counting) {
  static Upkeep of(Foundation base, Reporting reporting, Outbound outbound) {
    Instances instances = new Instances(base.database());
    Heartbeat heartbeat = heartbeat(base, instances);
    base.lanes().room().divideBetween(heartbeat::delivering);
    base.lanes().rate().divideBetween(heartbeat::delivering);
    return new Upkeep(
        instances,
        heartbeat,
        new UnhealthyLanes(
            outbound.deliveries().lanes(), base.lanes(), base.options().instance().heartbeat()),
        new WatermarkPublisher(base.watermark(), instances, base.instance(), base.time()),
        rescuer(base, reporting, outbound, instances, heartbeat),
        new Expirer(
            outbound.deliveries().due(), reporting.events(), reporting.listener(), base.time()),
        pruner(base),
        new KeyRotation(base.database(), base.time(), base.options().accept().idempotencyWindow()),
        new MasterKeyRotation(
            base.options().security().masterKey(), base.keyring(), base.secureRandom()),
        new PeriodicLoop("counters", reporting::write));
  }

  private static Heartbeat heartbeat(Foundation base, Instances instances) {
    InstanceOptions instance = base.options().instance();
    return new Heartbeat(
        new HeartbeatStore(base.database(), base.opened().heartbeat()),
        instances,
        new Heartbeat.Identity(
            base.instance(), instance.name(), version(), base.options().role().name()),
        base.trust(),
        base.time(),
        instance.heartbeat(),
        instance.deadAfter());
  }

  private static Rescuer rescuer(
      Foundation base,
      Reporting reporting,
      Outbound outbound,
      Instances instances,
      Heartbeat heartbeat) {
    InstanceOptions instance = base.options().instance();
    return new Rescuer(
        outbound.deliveries(),
        new Rescuer.Members(base.instance(), instances, heartbeat::dead),
        base.lanes(),
        outbound.unsettled(),
        base.ids(),
        base.time(),
        reporting.listener(),
        new Rescuer.Settings(
            outbound.schedule(),
            instance.heartbeat().dividedBy(2),
            instance.deadAfter().dividedBy(2)));
  }

  private static Pruner pruner(Foundation base) {
    RetentionOptions retention = base.options().retention();
    Pruner pruner = new Pruner(base.database(), retention, base.time());
    AuditStore audit = new AuditStore(base.database());
    pruner.also(
        (now, limit) ->
            audit.prune(Instant.ofEpochMilli(now - retention.audit().toMillis()), limit));
    return pruner;
  }

  private static String version() {
    String version = EngineRuntime.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  /** At shutdown, if no lease is left that another instance would have to rescue. */
  void removeInstance(Foundation base, DeliveryStores deliveries) {
    try {
      if (deliveries.rescues().leasesOf(base.instance(), 1).isEmpty()) {
        instances.remove(base.instance());
      }
    } catch (RuntimeException e) {
      System.getLogger(Upkeep.class.getName())
          .log(
              System.Logger.Level.DEBUG,
              "the row of this instance could not be deleted; other instances will delete it",
              e);
    }
  }

  /** The maintenance loops that only a SQLite database needs: checkpoints and the disk guard. */
  record OfFile(Checkpointer checkpointer, DiskGuard diskGuard) {
    static @Nullable OfFile of(Foundation base, AcceptLoop acceptLoop) {
      return base.database() instanceof SqliteDatabase file
          ? new OfFile(new Checkpointer(file), new DiskGuard(file::freeBytes, acceptLoop::pause))
          : null;
    }

    void start() {
      checkpointer.start();
      diskGuard.start();
    }

    void stop() {
      diskGuard.stop();
      checkpointer.stop();
    }
  }
}
