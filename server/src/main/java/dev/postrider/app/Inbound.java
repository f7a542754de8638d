package dev.postrider.app;

import dev.postrider.alert.Alerts;
import dev.postrider.api.InboundParts;
import dev.postrider.config.Config;
import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.inbound.ClientAddress;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.InboundListener;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.Rejections;
import dev.postrider.inbound.SourceCache;
import dev.postrider.inbound.SourceCompiler;
import dev.postrider.inbound.cron.CronScheduler;
import dev.postrider.inbound.source.SourceStore;
import dev.postrider.inbound.verify.SnsCertificates;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.live.LiveFeed;
import dev.postrider.live.LiveStore;
import dev.postrider.tenant.ApplicationStore;
import org.jspecify.annotations.Nullable;

/** The inbound gateway on top of an engine. */
public final class Inbound implements AutoCloseable {
  private final SourceStore sources;
  private final SourceCache sourceCache;
  private final Rejections rejections;
  private final CronScheduler cron;
  private final LiveFeed live;
  private final Alerts alerts;
  private final InboundParts parts;

  /** A transaction must not wait for the threads that tenants share. */
  private final Evaluator applying;

  private final SourceCompiler makerInTransaction;
  private final Runnable changes;

  Inbound(
      Engine engine,
      Config config,
      ApplicationStore applications,
      DeliveryListeners deliveries,
      InboundListener listener,
      Providers providers) {
    LiveStore liveStore = new LiveStore(engine.database());
    this.live =
        new LiveFeed(
            liveStore, engine.ids(), engine.time(), config.inbound().live(), engine::tellOthers);
    engine.onNews(live::lookSoon);
    this.alerts =
        new Alerts(
            engine.database(),
            engine.routings(),
            engine.uncheckedAcceptor(),
            engine.lanes().book(),
            engine.time(),
            config.inbound().lag());
    deliveries.add(live);
    deliveries.add(alerts);
    engine
        .pruner()
        .also((now, limit) -> liveStore.prune(now - config.inbound().live().toMillis(), limit));
    Verifiers verifiers =
        new Verifiers(new SnsCertificates(providers.certificates(), providers.anchors()));
    SourceCompiler maker = new SourceCompiler(verifiers, engine.expressions(), engine.evaluator());
    this.applying = new Evaluator(EvaluationLimits.DEFAULT, engine.time());
    this.makerInTransaction =
        new SourceCompiler(
            verifiers,
            new JsonataExpressions(ExpressionLimits.DEFAULT, applying, engine.time()),
            applying);
    Changes changes = new Changes(engine);
    this.sources =
        new SourceStore(
            engine.database(),
            engine.keyring(),
            applications,
            maker,
            engine.ids(),
            engine.time(),
            changes);
    this.sourceCache = new SourceCache(sources, engine.time());
    changes.sourceCache = sourceCache;
    this.changes = changes;
    engine.onNews(sourceCache::lookSoon);
    RejectedRequestStore rejected = new RejectedRequestStore(engine.database());
    this.rejections = new Rejections(rejected, engine.time());
    engine
        .pruner()
        .also((now, limit) -> rejected.prune(now - config.inbound().rejected().toMillis(), limit));
    ClientAddress addresses = new ClientAddress(config.server().trustedProxies());
    Gateway gateway =
        new Gateway(
            sourceCache,
            sources,
            engine.acceptor(),
            addresses,
            providers.confirmer(),
            InboundListener.all(rejections, listener, live, alerts),
            new Gateway.Limits(
                config.inbound().concurrent(),
                config.inbound().rate(),
                config.server().maxBodyBytes()),
            engine.ids(),
            engine.time());
    this.cron =
        new CronScheduler(
            sourceCache, engine.database(), engine.uncheckedAcceptor(), engine.time());
    this.parts =
        new InboundParts(
            gateway,
            sources,
            rejected,
            new ReceivedReader(engine.database()),
            live,
            addresses,
            config.server().publicUrl());
  }

  /** A change of a source: seen here at once, and by the others soon. */
  private static final class Changes implements Runnable {
    private final Engine engine;
    private volatile @Nullable SourceCache sourceCache;

    Changes(Engine engine) {
      this.engine = engine;
    }

    @Override
    public void run() {
      SourceCache known = sourceCache;
      if (known != null) {
        known.changedHere();
      }
      engine.tellOthers();
    }
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

  /** For a configuration, which changes sources within its own transaction. */
  SourceCompiler makerInTransaction() {
    return makerInTransaction;
  }

  /** To be told of such a change after its commit. */
  Runnable changes() {
    return changes;
  }

  InboundParts parts() {
    return parts;
  }

  /** Ends what would keep the server from stopping: the streams of those who watch. */
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
