package dev.postrider.observe;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.id.Id;
import dev.postrider.observe.OpenDeliveryStore.NamedLane;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the results of deliveries by handler and by queue, and what consumers receive. An event
 * increments a number in memory; names are looked up asynchronously, and a scrape moves the numbers
 * to their series.
 */
public final class NamedLanes implements DeliveryListener {
  /** Lanes with numbers of their own until a scrape; the others share one. */
  private static final int MAX_LANES = 10_000;

  private static final int NAMES_AT_ONCE = 500;
  private static final System.Logger LOG = System.getLogger(NamedLanes.class.getName());

  private static final class Lane {
    private final boolean queue;
    private final Map<DeliveryStatus, LongAdder> results = new EnumMap<>(DeliveryStatus.class);
    private final LongAdder received = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private volatile @Nullable List<String> labels;

    private Lane(boolean queue) {
      this.queue = queue;
      for (DeliveryStatus status : DeliveryStatus.values()) {
        results.put(status, new LongAdder());
      }
    }

    private void count(DeliveryStatus status) {
      LongAdder adder = results.get(status);
      if (adder != null) {
        adder.increment();
      }
    }

    private static Lane other(boolean queue) {
      Lane lane = new Lane(queue);
      lane.labels = List.of(BoundedLabels.OTHER, BoundedLabels.OTHER);
      return lane;
    }
  }

  private final OpenDeliveryStore store;
  private final MeterRegistry registry;
  private final Runnable lookUpSoon;
  private final BoundedLabels handlers;
  private final BoundedLabels queues;
  private final Map<Id, Lane> lanes = new ConcurrentHashMap<>();
  private final Lane otherHandlers = Lane.other(false);
  private final Lane otherQueues = Lane.other(true);
  private final Queue<Id> unnamed = new ConcurrentLinkedQueue<>();

  private final Object readingSources = new Object();

  /** Replaced, never changed. */
  private volatile Set<Id> sourceApplications = Set.of();

  /**
   * @param lookUpSoon called when a lane has no name yet
   */
  NamedLanes(OpenDeliveryStore store, MeterRegistry registry, int maxLabels, Runnable lookUpSoon) {
    this.store = store;
    this.registry = registry;
    this.lookUpSoon = lookUpSoon;
    this.handlers = new BoundedLabels(maxLabels);
    this.queues = new BoundedLabels(maxLabels);
  }

  @Override
  public void finished(Outcome outcome, Finish finish) {
    Delivery delivery = outcome.delivery();
    if (sourceApplications.contains(delivery.applicationId())) {
      lane(delivery.laneId(), false).count(finish.status());
    }
  }

  @Override
  public void queueEnded(QueueEnd end) {
    lane(end.queueId(), true).count(end.status());
  }

  @Override
  public void queueReceived(Id queueId, int received, int timedOut) {
    Lane lane = lane(queueId, true);
    lane.received.add(received);
    lane.timedOut.add(timedOut);
  }

  private Lane lane(Id laneId, boolean queue) {
    Lane known = lanes.get(laneId);
    return known == null ? add(laneId, queue) : known;
  }

  private Lane add(Id laneId, boolean queue) {
    if (lanes.size() >= MAX_LANES) {
      return queue ? otherQueues : otherHandlers;
    }
    Lane added = new Lane(queue);
    Lane known = lanes.putIfAbsent(laneId, added);
    if (known != null) {
      return known;
    }
    // Only now: a look-up that finds no such lane would drop its name.
    unnamed.add(laneId);
    lookUpSoon.run();
    return added;
  }

  /** Sources were changed: deliveries of a new one are counted from its first on. */
  public void sourcesChanged() {
    try {
      readSources();
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "the sources are read later: {0}", e.getMessage());
      lookUpSoon.run();
    }
  }

  /** Reads the sources, and the names of lanes that have none yet. */
  void refresh() {
    readSources();
    while (!unnamed.isEmpty()) {
      List<Id> some = unnamed.stream().limit(NAMES_AT_ONCE).toList();
      Map<Id, NamedLane> named = new HashMap<>();
      store.named(some).forEach(lane -> named.put(lane.id(), lane));
      for (Id id : some) {
        NamedLane name = named.get(id);
        Lane lane = lanes.get(id);
        if (lane != null) {
          lane.labels =
              name == null ? List.of(BoundedLabels.OTHER, BoundedLabels.OTHER) : labels(name);
        }
        unnamed.remove(id);
      }
    }
  }

  /** One at a time: an older read must not replace a newer one. */
  private void readSources() {
    synchronized (readingSources) {
      sourceApplications = store.sourceApplications();
    }
  }

  /** Owner and name, or {@link BoundedLabels#OTHER} for both. */
  List<String> labels(NamedLane lane) {
    return (lane.queue() ? queues : handlers).of(List.of(lane.owner(), lane.name()));
  }

  /** Moves what was counted to the series. */
  synchronized void collect() {
    lanes.values().forEach(this::collect);
    collect(otherHandlers);
    collect(otherQueues);
  }

  private void collect(Lane lane) {
    List<String> labels = lane.labels;
    if (labels == null) {
      return;
    }
    lane.results.forEach(
        (status, adder) ->
            collect(adder, results(lane.queue, labels).tag("status", status.text())));
    collect(
        lane.received,
        ofQueue("postrider.queue.receives", "Messages that consumers of a queue received", labels));
    collect(
        lane.timedOut,
        ofQueue(
            "postrider.queue.timeouts",
            "Messages that consumers of a queue received and did not acknowledge in time",
            labels));
  }

  private void collect(LongAdder adder, Counter.Builder series) {
    long counted = adder.sumThenReset();
    if (counted > 0) {
      series.register(registry).increment((double) counted);
    }
  }

  private static Counter.Builder results(boolean queue, List<String> labels) {
    return queue
        ? ofQueue(
            "postrider.queue.deliveries",
            "Deliveries of a queue by the status after a receive",
            labels)
        : Counter.builder("postrider.handler.deliveries")
            .description("Deliveries to a handler by the status after an attempt")
            .tag("source", labels.getFirst())
            .tag("handler", labels.getLast());
  }

  private static Counter.Builder ofQueue(String name, String description, List<String> labels) {
    return Counter.builder(name)
        .description(description)
        .tag("application", labels.getFirst())
        .tag("queue", labels.getLast());
  }
}
