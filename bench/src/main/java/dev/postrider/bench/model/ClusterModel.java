package dev.postrider.bench.model;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A discrete simulation of N instances that share one database. Messages arrive at random times at
 * random instances. An instance plans and sends them on its own cores, and commits what waits as
 * one batch, the next one while no other batch of it is open, as {@code AcceptLoop} does. Commits
 * of all instances run on the cores of the database: each takes a fixed cost and a cost per
 * message.
 *
 * <p>It shows where queues form: it knows nothing of locks, disks, networks and caches.
 */
public final class ClusterModel {
  /** More than fits into a commit of the product. */
  private static final int MAX_BATCH = 512;

  private static final double MICROS_PER_SECOND = 1e6;

  /**
   * What is measured of one message.
   *
   * @param serverMicros CPU of an instance
   * @param databaseMicros CPU of the database, within a large batch
   * @param commitMicros CPU of the database for each commit, whatever is in it
   */
  public record Cost(double serverMicros, double databaseMicros, double commitMicros) {}

  /**
   * What is asked about.
   *
   * @param rate messages per second, of all instances together
   */
  public record Layout(int instances, int instanceCores, int databaseCores, double rate) {}

  /**
   * @param perSecond messages committed per second of simulated time
   * @param p99Ms from the arrival of a message to its commit
   * @param serverBusy the share of the cores of all instances that was busy
   * @param databaseBusy the same of the database
   */
  public record Result(
      double perSecond,
      double meanBatch,
      double p50Ms,
      double p99Ms,
      double serverBusy,
      double databaseBusy) {}

  private enum Kind {
    ARRIVAL,
    PLANNED,
    COMMITTED
  }

  private record Event(double at, long order, Kind kind, int instance, double arrived)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Double.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /** One instance: its cores, what waits for its next commit, and what is in the open one. */
  private static final class Instance {
    final double[] coreFreeAt;
    final Deque<Double> waiting = new ArrayDeque<>();
    final Deque<Double> open = new ArrayDeque<>();

    Instance(int cores) {
      coreFreeAt = new double[cores];
    }
  }

  private final Cost cost;
  private final Layout layout;
  private final SplittableRandom random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Instance[] instances;
  private final double[] databaseFreeAt;
  private double serverBusy;
  private double databaseBusy;
  private long batches;
  private long order;

  private ClusterModel(Cost cost, Layout layout, long seed) {
    this.cost = cost;
    this.layout = layout;
    this.random = new SplittableRandom(seed);
    this.instances = new Instance[layout.instances()];
    for (int i = 0; i < instances.length; i++) {
      instances[i] = new Instance(layout.instanceCores());
    }
    this.databaseFreeAt = new double[layout.databaseCores()];
  }

  /** Runs for so many messages; the same seed gives the same result. */
  public static Result run(Cost cost, Layout layout, int messages, long seed) {
    return new ClusterModel(cost, layout, seed).run(messages);
  }

  private Result run(int messages) {
    double[] latencies = new double[messages];
    int arrived = 0;
    int committed = 0;
    double now = 0;
    add(0, Kind.ARRIVAL, random.nextInt(instances.length), 0);
    while (committed < messages) {
      Event event = events.remove();
      now = event.at();
      Instance instance = instances[event.instance()];
      switch (event.kind()) {
        case ARRIVAL -> {
          double done = work(instance.coreFreeAt, now, cost.serverMicros());
          serverBusy += cost.serverMicros();
          add(done, Kind.PLANNED, event.instance(), now);
          if (++arrived < messages) {
            double gap = -Math.log(1 - random.nextDouble()) * MICROS_PER_SECOND / layout.rate();
            add(now + gap, Kind.ARRIVAL, random.nextInt(instances.length), 0);
          }
        }
        case PLANNED -> {
          instance.waiting.add(event.arrived());
          commitNext(event.instance(), now);
        }
        case COMMITTED -> {
          for (double since : instance.open) {
            latencies[committed++] = now - since;
          }
          instance.open.clear();
          commitNext(event.instance(), now);
        }
      }
    }
    return result(latencies, now);
  }

  private void commitNext(int number, double now) {
    Instance instance = instances[number];
    if (!instance.open.isEmpty() || instance.waiting.isEmpty()) {
      return;
    }
    while (!instance.waiting.isEmpty() && instance.open.size() < MAX_BATCH) {
      instance.open.add(instance.waiting.remove());
    }
    double micros = cost.commitMicros() + cost.databaseMicros() * instance.open.size();
    databaseBusy += micros;
    batches++;
    add(work(databaseFreeAt, now, micros), Kind.COMMITTED, number, 0);
  }

  /** On the core that is free first; returns when it is done. */
  private static double work(double[] freeAt, double now, double micros) {
    int first = 0;
    for (int i = 1; i < freeAt.length; i++) {
      first = freeAt[i] < freeAt[first] ? i : first;
    }
    freeAt[first] = Math.max(now, freeAt[first]) + micros;
    return freeAt[first];
  }

  private void add(double at, Kind kind, int instance, double arrived) {
    events.add(new Event(at, order++, kind, instance, arrived));
  }

  private Result result(double[] latencies, double now) {
    double[] sorted = latencies.clone();
    Arrays.sort(sorted);
    return new Result(
        latencies.length / now * MICROS_PER_SECOND,
        (double) latencies.length / batches,
        sorted[sorted.length / 2] / 1_000,
        sorted[(int) (sorted.length * 0.99)] / 1_000,
        serverBusy / now / (layout.instances() * (double) layout.instanceCores()),
        databaseBusy / now / layout.databaseCores());
  }
}
