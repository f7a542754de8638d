package dev.postrider.app;

import dev.postrider.alert.Alerts;
import dev.postrider.api.source.SourceServices;
import dev.postrider.config.Config;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.engine.services.EvaluationServices;
import dev.postrider.event.EngineEvents;
import dev.postrider.event.PeerChange;
import dev.postrider.inbound.ClientAddress;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.InboundEvent;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.Rejections;
import dev.postrider.inbound.SourceCache;
import dev.postrider.inbound.compiled.SourceCompiler;
import dev.postrider.inbound.cron.CronScheduler;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.inbound.store.SourcesChanged;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.live.LiveFeed;
import dev.postrider.live.LiveStore;
import dev.postrider.tenant.ApplicationStore;
import java.time.Instant;

/** The inbound gateway on top of an engine. */
public final class InboundParts implements AutoCloseable {
  private final SourceStore sources;
  private final SourceCache sourceCache;
  private final Rejections rejections;
  private final CronScheduler cron;
  private final LiveFeed live;
  private final Alerts alerts;
  private final SourceServices services;

  /** A transaction must not wait for the threads that tenants share. */
  private final EvaluationServices applying;

  private final SourceCompiler makerInTransaction;

  InboundParts(
      EngineServices engine, Config config, ApplicationStore applications, Providers providers) {
    EngineEvents events = engine.notifications().events();
    LiveStore liveStore = new LiveStore(engine.storage().database());
    this.live =
        new LiveFeed(
            liveStore,
            engine.storage().ids(),
            engine.storage().time(),
            config.inbound().live(),
            events);
    events.afterCommit(PeerChange.class, _ -> live.lookSoon());
    this.alerts =
        new Alerts(
            engine.storage().database(),
            engine.messages().routings(),
            engine.messages().unchecked(),
            (dueMs, limit) -> engine.status().lanesWaitingSince(Instant.ofEpochMilli(dueMs), limit),
            engine.storage().time(),
            config.inbound().lag());
    engine.notifications().listeners().add(live);
    engine.notifications().listeners().add(alerts);
    engine
        .operations()
        .pruning()
        .also((now, limit) -> liveStore.prune(now.minus(config.inbound().live()), limit));
    Verifiers verifiers =
        new Verifiers(new SnsCertificates(providers.certificates(), providers.anchors()));
    SourceCompiler maker =
        new SourceCompiler(
            verifiers, engine.evaluation().expressions(), engine.evaluation().evaluator());
    this.applying = EvaluationServices.of(engine.storage().time());
    this.makerInTransaction =
        new SourceCompiler(verifiers, applying.expressions(), applying.evaluator());
    this.sources =
        new SourceStore(
            engine.storage().database(),
            engine.storage().keyring(),
            applications,
            maker,
            engine.storage().ids(),
            engine.storage().time(),
            events);
    engine.operations().resealing().also(SourceStore.SEALED);
    this.sourceCache = new SourceCache(sources, engine.storage().time());
    events.afterCommit(PeerChange.class, _ -> sourceCache.lookSoon());
    events.afterCommit(SourcesChanged.class, _ -> sourceCache.changedHere());
    RejectedRequestStore rejected = new RejectedRequestStore(engine.storage().database());
    this.rejections = new Rejections(rejected, engine.storage().time());
    events.afterCommit(
        InboundEvent.Rejected.class,
        event -> {
          rejections.rejected(event.request());
          live.rejected(event.request());
          alerts.rejected(event.request());
        });
    engine
        .operations()
        .pruning()
        .also((now, limit) -> rejected.prune(now.minus(config.inbound().rejected()), limit));
    ClientAddress addresses = new ClientAddress(config.server().trustedProxies());
    Gateway gateway =
        new Gateway(
            sourceCache,
            engine.messages().acceptor(),
            addresses,
            providers.confirmer(),
            events,
            new Gateway.Limits(
                config.inbound().concurrent(),
                config.inbound().rate(),
                config.server().maxBodyBytes()),
            engine.storage().ids(),
            engine.storage().time());
    this.cron =
        new CronScheduler(
            sourceCache,
            engine.storage().database(),
            engine.messages().unchecked(),
            engine.storage().time());
    this.services =
        new SourceServices(
            gateway,
            sources,
            rejected,
            engine.deliveries().readers().received(),
            addresses,
            config.server().publicUrl());
  }

  void start() {
    rejections.start();
    live.start();
    alerts.start();
    sourceCache.start();
    cron.start();
  }

  public SourceStore sources() {
    return sources;
  }

  /** For applying a configuration file, which changes sources within its own transaction. */
  SourceCompiler makerInTransaction() {
    return makerInTransaction;
  }

  LiveFeed live() {
    return live;
  }

  SourceServices services() {
    return services;
  }

  /** Closes the live feed streams, which would otherwise keep the server from stopping. */
  void stopStreams() {
    live.close();
  }

  @Override
  public void close() {
    cron.close();
    sourceCache.close();
    rejections.close();
    alerts.close();
    live.close();
    applying.close();
  }
}
