package dev.postrider.engine.wiring;

import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.maintenance.KeyRotation;
import dev.postrider.maintenance.Pruner;

/** What happens to an engine in a test that happens to a process in the field. */
public final class EngineFaults {
  private EngineFaults() {}

  /** Ends at once and without a word to the database, as a killed process would. */
  public static void halt(EngineRuntime engine) {
    engine.halt();
  }

  /** No further heartbeat while all else goes on, as if the instance were cut off. */
  public static void stopHeartbeat(EngineRuntime engine) {
    engine.upkeep().heartbeat().stop();
  }

  /** What the disk guard does when there is no room. */
  public static void pauseAccepts(EngineRuntime engine, boolean noRoom) {
    engine.intake().acceptLoop().pause(noRoom);
  }

  public static int accepting(EngineRuntime engine) {
    return engine.upkeep().heartbeat().accepting();
  }

  /** Writes the counters now instead of at the end of the minute. */
  public static void flushCounters(EngineRuntime engine) {
    engine.reporting().counters().flush();
  }

  public static Lanes lanes(EngineRuntime engine) {
    return engine.base().lanes();
  }

  public static DeliveryStores deliveries(EngineRuntime engine) {
    return engine.outbound().deliveries();
  }

  public static RoutingCache routings(EngineRuntime engine) {
    return engine.intake().routings();
  }

  public static KeyRotation keyRotation(EngineRuntime runtime) {
    return runtime.upkeep().keyRotation();
  }

  public static Pruner pruner(EngineRuntime engine) {
    return engine.upkeep().pruner();
  }
}
