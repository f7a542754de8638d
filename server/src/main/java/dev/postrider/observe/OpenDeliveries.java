package dev.postrider.observe;

import dev.postrider.observe.OpenDeliveryStore.Depth;
import dev.postrider.observe.OpenDeliveryStore.NamedLane;
import dev.postrider.observe.OpenDeliveryStore.Totals;
import dev.postrider.storage.Database;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many deliveries wait or are dead letters, read from the database at intervals and kept in
 * memory: a scrape or a health check never waits for the database.
 */
public final class OpenDeliveries {
  private static final Duration EVERY = Duration.ofSeconds(15);
  private static final System.Logger LOG = System.getLogger(OpenDeliveries.class.getName());

  /**
   * What the last reading found, over all instances. Counts end at {@link
   * OpenDeliveryStore#MAX_COUNTED}.
   *
   * @param oldestMs when the oldest waiting delivery was accepted; null if none waits
   * @param lagMs how long the delivery has waited that this instance should have claimed first
   */
  public record Snapshot(
      int pending,
      int failed,
      @Nullable Long oldestMs,
      int deadLetters,
      int circuits,
      long lagMs,
      long measuredAtMs) {
    public int waiting() {
      return pending + failed;
    }

    /** Whether counting stopped at its limit, so there may be more. */
    public boolean approximated() {
      return waiting() >= OpenDeliveryStore.MAX_COUNTED
          || deadLetters >= OpenDeliveryStore.MAX_COUNTED;
    }

    /** Age of the oldest waiting delivery; 0 if none waits. */
    public double oldestSeconds() {
      return oldestMs == null ? 0 : Math.max(0, measuredAtMs - oldestMs) / 1000.0;
    }
  }

  private final OpenDeliveryStore store;
  private final NamedLanes lanes;
  private final LongSupplier claimLagMs;
  private final TimeSource time;
  private final int maxLabels;
  private final Gauges handlers;
  private final Gauges queues;
  private final PeriodicLoop loop = new PeriodicLoop("open-deliveries", this::turn);
  private volatile @Nullable Snapshot last;

  /** The gauges of one kind of lane. */
  private record Gauges(String owner, String name, MultiGauge waiting, MultiGauge oldest) {
    void show(Map<List<String>, Sum> sums, long nowMs) {
      waiting.register(rows(sums, sum -> sum.waiting), true);
      oldest.register(rows(sums, sum -> Math.max(0, nowMs - sum.oldestMs) / 1000.0), true);
    }

    private List<MultiGauge.Row<?>> rows(Map<List<String>, Sum> sums, ToDoubleFunction<Sum> value) {
      List<MultiGauge.Row<?>> rows = new ArrayList<>();
      sums.forEach(
          (labels, sum) ->
              rows.add(
                  MultiGauge.Row.of(
                      Tags.of(owner, labels.getFirst(), name, labels.getLast()),
                      value.applyAsDouble(sum))));
      return rows;
    }
  }

  /** Of all lanes with the same labels. */
  private static final class Sum {
    private int waiting;
    private long oldestMs = Long.MAX_VALUE;

    private void add(Depth depth) {
      waiting += depth.waiting();
      oldestMs = Math.min(oldestMs, depth.oldestMs() == null ? Long.MAX_VALUE : depth.oldestMs());
    }
  }

  /**
   * @param claimLagMs of this instance
   * @param maxLabels how many handlers and how many queues have series of their own
   */
  public OpenDeliveries(
      Database database, Metrics metrics, LongSupplier claimLagMs, TimeSource time, int maxLabels) {
    this.store = new OpenDeliveryStore(database);
    this.lanes = new NamedLanes(store, metrics.registry(), maxLabels, loop::wake);
    this.claimLagMs = claimLagMs;
    this.time = time;
    this.maxLabels = maxLabels;
    this.handlers =
        new Gauges(
            "source",
            "handler",
            many(metrics, "postrider.handler.waiting", "Waiting deliveries of a handler"),
            many(
                metrics,
                "postrider.handler.oldest.seconds",
                "Age of the oldest waiting delivery of a handler"));
    this.queues =
        new Gauges(
            "application",
            "queue",
            many(metrics, "postrider.queue.waiting", "Waiting messages of a queue"),
            many(
                metrics,
                "postrider.queue.oldest.seconds",
                "Age of the oldest waiting message of a queue"));
    metrics.onScrape(lanes::collect);
    gauge(metrics, "postrider.waiting", "Waiting deliveries", "pending", Snapshot::pending);
    gauge(metrics, "postrider.waiting", "Waiting deliveries", "failed", Snapshot::failed);
    gauge(
        metrics,
        "postrider.oldest.seconds",
        "Age of the oldest waiting delivery",
        null,
        Snapshot::oldestSeconds);
    gauge(metrics, "postrider.dead.letters", "Dead letters", null, Snapshot::deadLetters);
    gauge(
        metrics,
        "postrider.circuits.open",
        "Endpoints whose circuit is open or half-open",
        null,
        Snapshot::circuits);
    gauge(
        metrics,
        "postrider.claim.lag.seconds",
        "How long the delivery has waited that this instance should have claimed first",
        null,
        snapshot -> snapshot.lagMs() / 1000.0);
  }

  private static MultiGauge many(Metrics metrics, String name, String description) {
    return MultiGauge.builder(name).description(description).register(metrics.registry());
  }

  private void gauge(
      Metrics metrics,
      String name,
      String description,
      @Nullable String status,
      ToDoubleFunction<Snapshot> value) {
    metrics.gauge(
        name,
        description,
        status == null ? Tags.empty() : Tags.of("status", status),
        this,
        open -> {
          Snapshot known = open.last;
          return known == null ? Double.NaN : value.applyAsDouble(known);
        });
  }

  /** Reads once, so that the numbers are there from the start, and then at intervals. */
  public void start() {
    try {
      refresh();
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "the open deliveries are counted later: {0}", e.getMessage());
    }
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  /** Counts deliveries by handler and queue. */
  public NamedLanes lanes() {
    return lanes;
  }

  /** What the last reading found; null before the first. */
  public @Nullable Snapshot last() {
    return last;
  }

  private long turn() {
    refresh();
    return EVERY.toMillis();
  }

  /** Reads now. */
  public synchronized void refresh() {
    lanes.refresh();
    Totals totals = store.totals();
    long now = time.nowMs();
    Snapshot snapshot =
        new Snapshot(
            totals.pending(),
            totals.failed(),
            totals.oldestMs(),
            totals.deadLetters(),
            totals.circuits(),
            claimLagMs.getAsLong(),
            now);
    Map<List<String>, Sum> ofHandlers = new HashMap<>();
    Map<List<String>, Sum> ofQueues = new HashMap<>();
    for (Depth depth : store.depths(maxLabels)) {
      NamedLane lane = depth.lane();
      (lane.queue() ? ofQueues : ofHandlers)
          .computeIfAbsent(lanes.labels(lane), _ -> new Sum())
          .add(depth);
    }
    handlers.show(ofHandlers, now);
    queues.show(ofQueues, now);
    last = snapshot;
  }
}
