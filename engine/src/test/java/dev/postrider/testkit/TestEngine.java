package dev.postrider.testkit;

import dev.postrider.crypto.Keyring;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.Statistics;
import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.delivery.command.Cancel;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.engine.Engine;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.engine.services.StepServices;
import dev.postrider.engine.wiring.EngineFaults;
import dev.postrider.engine.wiring.EngineRuntime;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.event.EngineEvents;
import dev.postrider.event.Event;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.expression.Expressions;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.maintenance.KeyRotation;
import dev.postrider.maintenance.Pruner;
import dev.postrider.message.Acceptor;
import dev.postrider.message.MessageStarts;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.EngineOptions;
import dev.postrider.queue.Queues;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.time.SystemTime;

/** An engine with its inner parts and with faults, for tests. */
public final class TestEngine implements AutoCloseable {
  private final EngineRuntime runtime;
  private final EngineServices services;

  private TestEngine(EngineRuntime runtime) {
    this.runtime = runtime;
    this.services = runtime.services();
  }

  public static TestEngine of(EngineRuntime runtime) {
    return new TestEngine(runtime);
  }

  /** The engine of a server. */
  public static TestEngine of(Engine engine) {
    return new TestEngine(engine.unwrap(EngineRuntime.class));
  }

  public static TestEngine open(
      DatabaseOptions database, EngineOptions options, DeliveryListener listener, SystemTime time) {
    TestEngine engine = new TestEngine(EngineRuntime.open(database, options, time));
    engine.services.notifications().listeners().add(listener);
    return engine;
  }

  /** Signals whatever listeners of the engine are notified of; before its start. */
  public void signal(Signals signals) {
    services.notifications().listeners().add(signals);
    services.notifications().events().afterCommit(Event.class, _ -> signals.signal());
  }

  public void listen(DeliveryListener listener) {
    services.notifications().listeners().add(listener);
  }

  public void start() {
    runtime.start();
  }

  public void drain() {
    runtime.drain();
  }

  public void stopTakingWork() {
    runtime.stopTakingWork();
  }

  @Override
  public void close() {
    runtime.close();
  }

  public void halt() {
    EngineFaults.halt(runtime);
  }

  public void stopHeartbeat() {
    EngineFaults.stopHeartbeat(runtime);
  }

  public void pauseAccepts(boolean noRoom) {
    EngineFaults.pauseAccepts(runtime, noRoom);
  }

  public void flushCounters() {
    EngineFaults.flushCounters(runtime);
  }

  public int accepting() {
    return EngineFaults.accepting(runtime);
  }

  public int delivering() {
    return services.status().deliveringInstances();
  }

  public boolean healthy() {
    return services.status().isHealthy();
  }

  public int acceptsWaiting() {
    return services.status().acceptsWaiting();
  }

  public int finishesWaiting() {
    return services.status().finishesWaiting();
  }

  public Id instance() {
    return services.status().instance();
  }

  public Database database() {
    return services.storage().database();
  }

  public CommitWatermark horizon() {
    return services.storage().watermark();
  }

  public Keyring keyring() {
    return services.storage().keyring();
  }

  public Ids ids() {
    return services.storage().ids();
  }

  public SystemTime time() {
    return services.storage().time();
  }

  public Expressions expressions() {
    return services.evaluation().expressions();
  }

  public Evaluator evaluator() {
    return services.evaluation().evaluator();
  }

  public Lanes lanes() {
    return EngineFaults.lanes(runtime);
  }

  public DeliveryStores deliveries() {
    return EngineFaults.deliveries(runtime);
  }

  public Queues queues() {
    return services.queues().queues();
  }

  public Redrive redrive() {
    return services.deliveries().redrive();
  }

  public Cancel canceler() {
    return services.deliveries().cancel();
  }

  public Acceptor acceptor() {
    return services.messages().acceptor();
  }

  public RoutingCache routings() {
    return EngineFaults.routings(runtime);
  }

  public EventTypeStore eventTypes() {
    return services.eventTypes().store();
  }

  public EndpointStore endpoints() {
    return services.endpoints().store();
  }

  public EndpointSecrets secrets() {
    return services.endpoints().secrets();
  }

  public AgentRouteStore agentRoutes() {
    return services.endpoints().agentRoutes();
  }

  public EngineEvents events() {
    return services.notifications().events();
  }

  public ApplicationStore applications() {
    return services.tenants().applications();
  }

  public DeliveryListener deliveryListener() {
    return services.notifications().deliveries();
  }

  public Pruner pruner() {
    return EngineFaults.pruner(runtime);
  }

  public KeyRotation keyRotation() {
    return EngineFaults.keyRotation(runtime);
  }

  public Statistics statistics() {
    return services.deliveries().statistics();
  }

  public EngineServices services() {
    return services;
  }

  public StepServices steps() {
    return services.deliveries().steps();
  }

  public MessageStarts.Slot starts() {
    return services.messages().starts();
  }

  public Tasks tasks() {
    return services.operations().tasks();
  }
}
