package dev.postrider.simulation;

import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs seeds in the rewritten engine, on a few threads, each with a store of its own. */
final class Seeds {
  /** What one seed gave. */
  record Result(long seed, List<String> violations, long fingerprint, Map<String, Object> all) {}

  private final SimulationLoader loader;
  private final Method run;
  private final Method store;

  Seeds(SimulationLoader.@Nullable Bug bug) {
    this.loader = new SimulationLoader(bug);
    try {
      Class<?> world = Class.forName("dev.postrider.simulation.World", true, loader);
      run = world.getMethod("run", Object.class, long.class, boolean.class);
      store = world.getMethod("store");
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean bugPlaced() {
    return loader.bugPlaced();
  }

  /** A session for one thread. */
  final class Session implements AutoCloseable {
    private final AutoCloseable sqlite = (AutoCloseable) call(store, (Object[]) null);

    @SuppressWarnings("unchecked")
    Result run(long seed, boolean tells) {
      Map<String, Object> all = (Map<String, Object>) call(Seeds.this.run, sqlite, seed, tells);
      return new Result(
          seed, (List<String>) all.get("violations"), (long) all.get("fingerprint"), all);
    }

    @Override
    public void close() {
      try {
        sqlite.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  Session session() {
    return new Session();
  }

  /** Seeds from the first on until one fails, the count is reached or the time is up. */
  Summary run(long first, int count, int threads, long limitNanos) {
    AtomicLong next = new AtomicLong(first);
    Summary summary = new Summary();
    long began = System.nanoTime();
    List<Thread> workers = new java.util.ArrayList<>();
    for (int i = 0; i < threads; i++) {
      workers.add(
          Thread.ofPlatform()
              .name("world-" + i)
              .start(
                  () -> {
                    try (Session session = session()) {
                      while (summary.failed() == null && System.nanoTime() - began < limitNanos) {
                        long seed = next.getAndIncrement();
                        if (seed >= first + count) {
                          return;
                        }
                        long before = cpuNanos();
                        Result result = session.run(seed, false);
                        summary.add(result, cpuNanos() - before);
                      }
                    } catch (Throwable fault) {
                      summary.broken(fault);
                    }
                  }));
    }
    for (Thread worker : workers) {
      try {
        worker.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return summary;
  }

  /** The sum over many seeds. */
  static final class Summary {
    private int seeds;
    private long accepted;
    private long requests;
    private long virtualSeconds;
    private long cpuNanos;
    private @Nullable Result failed;
    private @Nullable Throwable broken;

    synchronized void add(Result result, long usedNanos) {
      seeds++;
      cpuNanos += usedNanos;
      accepted += (int) result.all().get("accepted");
      requests += (int) result.all().get("requests");
      virtualSeconds += (long) result.all().get("virtualSeconds");
      if (!result.violations().isEmpty() && (failed == null || result.seed() < failed.seed())) {
        failed = result;
      }
    }

    synchronized void broken(Throwable fault) {
      broken = fault;
      failed = new Result(-1, List.of("the simulation itself failed: " + fault), 0, Map.of());
    }

    synchronized @Nullable Result failed() {
      return failed;
    }

    synchronized @Nullable Throwable brokenBy() {
      return broken;
    }

    synchronized int seeds() {
      return seeds;
    }

    @Override
    public synchronized String toString() {
      return "%d seeds, %d accepted, %d requests, %d virtual seconds, %d CPU ms"
          .formatted(seeds, accepted, requests, virtualSeconds, cpuNanos / 1_000_000);
    }
  }

  /** Of this thread: on a busy machine the time by the clock says little. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static Object call(Method method, Object @Nullable ... arguments) {
    try {
      return method.invoke(null, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
