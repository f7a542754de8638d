package dev.postrider.delivery.http;

import dev.postrider.limit.Share;
import dev.postrider.time.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Name look-ups with limits. They run on a few platform threads, since the system's resolver blocks
 * in native code and would hold a carrier of virtual threads. A host has at most one look-up under
 * way, which all its callers share, so a name whose servers hang takes one thread and no more. The
 * threads are shared out between owners, so that a tenant with many such names delays its own
 * look-ups only (engine rule 14c).
 */
public final class NameLookup implements AutoCloseable {

  /**
   * @param threads look-ups at the same time
   * @param share how many of the threads one owner may have
   * @param queued look-ups of one owner that wait for a thread; more are refused
   * @param limit how long a caller waits
   * @param keep how long addresses are used again
   * @param keepFailure how long a failure is answered without asking again
   * @param hosts hosts remembered
   */
  public record Limits(
      int threads,
      Share share,
      int queued,
      Duration limit,
      Duration keep,
      Duration keepFailure,
      int hosts) {

    public static Limits defaults() {
      return new Limits(
          32,
          new Share(0.2),
          256,
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          10_000);
    }
  }

  /**
   * On whose behalf the current thread resolves names. The HTTP client asks for addresses deep
   * within a call, with nothing but the name.
   */
  static final ScopedValue<Object> OWNER = ScopedValue.newInstance();

  private static final Object NOBODY = "nobody";

  private record Waiting(String host, Lookup lookup) {}

  private static final class Owner {
    private int running;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  }

  private static final long THREAD_IDLE_SECONDS = 30;

  private final NameResolver resolver;
  private final TimeSource time;
  private final Limits limits;
  private final ConcurrentHashMap<String, Lookup> lookups = new ConcurrentHashMap<>();

  /** Those with look-ups; the first has waited longest for its turn. Guarded by itself. */
  private final LinkedHashMap<Object, Owner> owners = new LinkedHashMap<>();

  private int running;
  private volatile @Nullable ThreadPoolExecutor pool;

  public NameLookup(NameResolver resolver, TimeSource time, Limits limits) {
    this.resolver = resolver;
    this.time = time;
    this.limits = limits;
  }

  public void start() {
    ThreadFactory threads = Thread.ofPlatform().daemon().name("name-lookup-", 0).factory();
    ThreadPoolExecutor created =
        new ThreadPoolExecutor(
            limits.threads(),
            limits.threads(),
            THREAD_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            threads);
    created.allowCoreThreadTimeOut(true);
    pool = created;
  }

  @Override
  public void close() {
    ThreadPoolExecutor running = pool;
    if (running != null) {
      running.shutdownNow();
    }
  }

  /**
   * The addresses of a name, at least one.
   *
   * @throws UnknownHostException if there are none, or none within the limit
   */
  InetAddress[] addresses(String host) throws UnknownHostException {
    Lookup lookup = current(host);
    try {
      long left = lookup.startedNanos + limits.limit().toNanos() - time.nanos();
      InetAddress[] found =
          lookup.result.isDone()
              ? lookup.result.get()
              : lookup.result.get(Math.max(0, left), TimeUnit.NANOSECONDS);
      return found.clone();
    } catch (TimeoutException _) {
      throw new UnknownHostException(
          "the name " + host + " was not resolved within " + limits.limit().toMillis() + " ms");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new UnknownHostException("interrupted while resolving " + host);
    } catch (ExecutionException failed) {
      throw failure(host, failed);
    }
  }

  /** Hosts remembered, with those being looked up. */
  int remembered() {
    return lookups.size();
  }

  private static UnknownHostException failure(String host, ExecutionException failed) {
    if (failed.getCause() instanceof LookupsExhausted exhausted) {
      return exhausted;
    }
    return new UnknownHostException("the name " + host + " does not resolve");
  }

  private Lookup current(String host) {
    Lookup known = lookups.get(host);
    if (known != null && !known.isStale(time.nanos())) {
      return known;
    }
    makeRoom();
    Lookup fresh = new Lookup(time.nanos());
    Lookup winner =
        lookups.compute(
            host,
            (_, present) ->
                present == null || present.isStale(fresh.startedNanos) ? fresh : present);
    if (winner == fresh) {
      begin(host, fresh);
    }
    return winner;
  }

  private void begin(String host, Lookup lookup) {
    Object owner = OWNER.orElse(NOBODY);
    boolean full;
    synchronized (owners) {
      Owner known = owners.computeIfAbsent(owner, _ -> new Owner());
      full = known.waiting.size() >= limits.queued();
      if (!full) {
        known.waiting.add(new Waiting(host, lookup));
      }
    }
    if (full) {
      refuse(host, lookup);
    } else {
      startNext();
    }
  }

  /** Starts what waits, each owner in turn, as far as its share goes. */
  private void startNext() {
    while (true) {
      Object owner = null;
      Waiting next = null;
      synchronized (owners) {
        for (Map.Entry<Object, Owner> entry : owners.entrySet()) {
          Owner one = entry.getValue();
          if (!one.waiting.isEmpty()
              && limits.share().allows(one.running, limits.threads() - running)) {
            owner = entry.getKey();
            next = one.waiting.poll();
            one.running++;
            running++;
            owners.putLast(owner, one);
            break;
          }
        }
      }
      if (owner == null || next == null) {
        return;
      }
      execute(owner, next);
    }
  }

  private void execute(Object owner, Waiting next) {
    ThreadPoolExecutor threads = pool;
    try {
      if (threads == null) {
        throw new RejectedExecutionException("not started");
      }
      threads.execute(
          () -> {
            try {
              run(next.host(), next.lookup());
            } finally {
              ended(owner);
              startNext();
            }
          });
    } catch (RejectedExecutionException _) {
      ended(owner);
      refuse(next.host(), next.lookup());
    }
  }

  private void ended(Object owner) {
    synchronized (owners) {
      running--;
      Owner known = owners.get(owner);
      if (known != null && --known.running == 0 && known.waiting.isEmpty()) {
        owners.remove(owner);
      }
    }
  }

  private void refuse(String host, Lookup lookup) {
    lookups.remove(host, lookup);
    lookup.result.completeExceptionally(
        new LookupsExhausted("too many name look-ups are under way; " + host + " has to wait"));
  }

  private void run(String host, Lookup lookup) {
    if (time.nanos() - lookup.startedNanos > limits.limit().toNanos()) {
      refuse(host, lookup); // those who asked have given up while it waited
      return;
    }
    try {
      InetAddress[] found = resolver.resolve(host);
      if (found.length == 0) {
        throw new UnknownHostException(host);
      }
      lookup.staleNanos = time.nanos() + limits.keep().toNanos();
      lookup.result.complete(found);
    } catch (UnknownHostException | RuntimeException failed) {
      lookup.staleNanos = time.nanos() + limits.keepFailure().toNanos();
      lookup.result.completeExceptionally(failed);
    }
  }

  /**
   * Forgets stale hosts when the memory is full, and if that is not enough, any that are not under
   * way.
   */
  private void makeRoom() {
    if (lookups.size() < limits.hosts()) {
      return;
    }
    long now = time.nanos();
    lookups.values().removeIf(lookup -> lookup.isStale(now));
    if (lookups.size() >= limits.hosts()) {
      lookups.values().removeIf(lookup -> lookup.result.isDone());
    }
  }

  private static final class Lookup {
    final CompletableFuture<InetAddress[]> result = new CompletableFuture<>();
    final long startedNanos;

    /** Written before the result is completed. */
    volatile long staleNanos;

    Lookup(long startedNanos) {
      this.startedNanos = startedNanos;
    }

    /** A look-up under way is never stale: a second one for the same host would hang likewise. */
    boolean isStale(long nowNanos) {
      return result.isDone() && nowNanos - staleNanos >= 0;
    }
  }
}
