package dev.postrider.engine.wiring;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.command.Cancel;
import dev.postrider.delivery.command.EndpointTests;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.delivery.loop.Canceler;
import dev.postrider.delivery.loop.Claimer;
import dev.postrider.delivery.loop.EndpointConfigs;
import dev.postrider.delivery.loop.EndpointTester;
import dev.postrider.delivery.loop.Finisher;
import dev.postrider.delivery.loop.LaneFinish;
import dev.postrider.delivery.loop.Redriver;
import dev.postrider.delivery.loop.Releaser;
import dev.postrider.delivery.loop.Sender;
import dev.postrider.delivery.loop.step.StepEngine;
import dev.postrider.delivery.policy.AutoDisable;
import dev.postrider.delivery.shape.ShapeStore;
import dev.postrider.delivery.shape.Shaper;
import dev.postrider.delivery.shape.Shaping;
import dev.postrider.delivery.store.CancelStore;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.delivery.store.HotStatements;
import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.RoutingStore;
import dev.postrider.engine.services.StepServices;
import dev.postrider.eventtype.EventTypePolicies;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.options.BreakerOptions;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.queue.QueueContentStore;
import dev.postrider.queue.QueueFilter;
import dev.postrider.queue.QueueItemStore;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.Queues;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.storage.DedicatedConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The components that deliver messages: claim, send and finish, with the stores of endpoints and
 * queues.
 */
record Outbound(
    DeliveryStores deliveries,
    UnsettledLeases unsettled,
    RoutingStore routingStore,
    EndpointChanges changes,
    EndpointStore endpoints,
    AgentRouteStore agentRoutes,
    Queues queues,
    RetryPolicy schedule,
    Finisher finisher,
    Sender sender,
    Claimer claimer,
    Actions actions) {
  private static final Duration SWEEP_EVERY = Duration.ofSeconds(10);

  /** What users request of deliveries and endpoints. */
  record Actions(Redrive redrive, Cancel canceler, EndpointTests tests) {}

  static Outbound of(Foundation base, Reporting reporting, TargetParts targets) {
    RetryPolicy schedule = new RetryPolicy(base.options().delivery().retrySchedule());
    RoutingStore routingStore = routingStore(base);
    EndpointConfigs configs =
        new EndpointConfigs(
            new ConfigSource(
                routingStore,
                new EventTypePolicies(base.database(), base.time()),
                targets.stepConfigs()),
            targets.rules(),
            schedule,
            base.time());
    EndpointChanges changes = new EndpointChanges(base, configs);
    changes.listenTo(reporting.events());
    EndpointStore endpoints =
        new EndpointStore(
            base.database(),
            base.keyring(),
            base.ids(),
            base.time(),
            reporting.events(),
            base.options().delivery().maxEndpoints());
    AgentRouteStore agentRoutes =
        new AgentRouteStore(
            base.database(), endpoints, base.ids(), base.time(), base.signingKeys());
    DeliveryStores deliveries = DeliveryStores.of(base.database(), base.eventTtl());
    HotStatements statements = HotStatements.of(base.database().dialect());
    UnsettledLeases unsettled = new UnsettledLeases(base.lanes().groups());
    Finisher finisher =
        new Finisher(
            base.opened().finish(),
            statements,
            laneFinish(base, reporting, deliveries, endpoints),
            deliveries.leases(),
            base.lanes(),
            unsettled,
            reporting.listener(),
            base.time());
    Sender sender =
        sender(
            base,
            reporting.listener(),
            targets,
            configs,
            finisher,
            new Releaser(finisher, base.lanes(), unsettled),
            agentRoutes);
    return new Outbound(
        deliveries,
        unsettled,
        routingStore,
        changes,
        endpoints,
        agentRoutes,
        queues(base, reporting),
        schedule,
        finisher,
        sender,
        claimer(base, reporting, deliveries, statements, sender),
        actions(base, reporting, targets, configs, agentRoutes));
  }

  private static Actions actions(
      Foundation base,
      Reporting reporting,
      TargetParts targets,
      EndpointConfigs configs,
      AgentRouteStore agentRoutes) {
    return new Actions(
        new Redriver(
            new RedriveStore(base.database()),
            reporting.events(),
            reporting.listener(),
            base.ids(),
            base.time()),
        new Canceler(
            new CancelStore(base.database()),
            reporting.events(),
            reporting.listener(),
            base.ids(),
            base.time()),
        new EndpointTester(
            targets.http(),
            configs,
            new Shaping(base.expressions()),
            agentRoutes,
            base.ids(),
            base.time(),
            senderSettings(base)));
  }

  private static Sender.Settings senderSettings(Foundation base) {
    DeliveryOptions delivery = base.options().delivery();
    return new Sender.Settings(delivery.requestTimeout(), delivery.userAgent());
  }

  private static RoutingStore routingStore(Foundation base) {
    DeliveryOptions delivery = base.options().delivery();
    return new RoutingStore(
        base.database(),
        base.keyring(),
        base.time(),
        new SignatureScheme.Standard(delivery.signatureHeaders()),
        base.eventTtl());
  }

  private static LaneFinish laneFinish(
      Foundation base, Reporting reporting, DeliveryStores deliveries, EndpointStore endpoints) {
    BreakerOptions breaker = base.options().breaker();
    DedicatedConnection link = base.opened().finishLanes();
    return new LaneFinish(
        link,
        deliveries,
        new LaneFinish.Policies(
            breaker, new AutoDisable.Config(breaker.disableAfter().orElse(Duration.ZERO))),
        base.lanes(),
        (application, endpoint, reason) ->
            endpoints.disable(
                link, new ApplicationId(application), new EndpointId(endpoint), reason),
        reporting.listener(),
        reporting.events(),
        base.time());
  }

  private static Sender sender(
      Foundation base,
      DeliveryListener listener,
      TargetParts targets,
      EndpointConfigs configs,
      Finisher finisher,
      Releaser releaser,
      AgentRouteStore agentRoutes) {
    return new Sender(
        new Sender.Requests(
            targets.http(),
            configs,
            new Shaper(
                new Shaping(base.expressions()),
                new ShapeStore(base.database()),
                agentRoutes,
                listener)),
        finisher,
        releaser,
        base.lanes(),
        base.trust(),
        base.ids(),
        base.time(),
        senderSettings(base));
  }

  private static Claimer claimer(
      Foundation base,
      Reporting reporting,
      DeliveryStores deliveries,
      HotStatements statements,
      Sender sender) {
    return new Claimer(
        new Claimer.Storage(base.database(), deliveries, statements, base.opened().claim()),
        sender,
        base.lanes(),
        base.trust(),
        reporting.listener(),
        base.time(),
        new Claimer.Options(base.instance(), Foundation.LEASE_MS, SWEEP_EVERY.toMillis()));
  }

  StepEngine steps(Foundation base, Reporting reporting) {
    return new StepEngine(
        base.opened().steps(),
        base.database().dialect(),
        deliveries,
        base.lanes(),
        sender,
        new StepEngine.Reports(reporting.listener(), reporting.events()),
        new StepEngine.Settings(
            base.instance(), Foundation.LEASE_MS, base.delivers(), base.options().breaker()),
        base.time());
  }

  private static Queues queues(Foundation base, Reporting reporting) {
    return new Queues(
        new QueueItemStore(base.database(), base.ids(), base.eventTtl()),
        new QueueContentStore(base.database(), base.ids()),
        new QueueFilter(base.expressions()),
        reporting.outside(),
        base.time());
  }

  QueueStore queueRows(Foundation base, Reporting reporting) {
    return new QueueStore(base.database(), base.ids(), base.time(), reporting.events());
  }

  EndpointSecrets secrets(Foundation base, Reporting reporting) {
    return new EndpointSecrets(
        base.database(), base.keyring(), base.ids(), base.time(), reporting.events());
  }

  /** Loads endpoint configurations from the database. */
  private record ConfigSource(
      RoutingStore routings,
      EventTypePolicies policies,
      AtomicReference<StepServices.@Nullable Configs> steps)
      implements EndpointConfigs.Source {
    @Override
    public @Nullable EndpointConfig ofStep(Id version, int step) {
      StepServices.Configs source = steps.get();
      return source == null ? null : source.load(version, step);
    }

    @Override
    public List<EndpointConfig> load(Id applicationId, List<Id> endpointIds) {
      return routings.loadConfigs(applicationId, endpointIds);
    }

    @Override
    public @Nullable String eventTypeRetryPolicy(EndpointConfig config, String eventType) {
      return policies.retryPolicy(config.environmentId(), config.applicationId(), eventType);
    }
  }
}
