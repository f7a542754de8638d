package dev.postrider.delivery.http.address;

import dev.postrider.limit.Share;
import dev.postrider.time.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
 * Name lookups with limits. They run on a few platform threads, since the resolver of the system
 * blocks in native code and would pin a carrier of virtual threads. A host has at most one lookup
 * in progress, shared by all its callers, so a name whose servers hang uses one thread. The threads
 * are divided between owners, so that a tenant with many such names delays only its own lookups
 * (engine rule 14c); a lookup that several owners wait for uses the first thread available to any
 * of them.
 */
public final class NameLookup implements AutoCloseable {

  /**
   * Limits of name lookups.
   *
   * @param threads concurrent lookups
   * @param share maximum number of threads of one owner
   * @param queued lookups of one owner that wait for a thread; more are rejected
   * @param limit how long a caller waits
   * @param keep how long addresses are cached
   * @param keepFailure how long a failure is cached
   * @param hosts maximum number of cached hosts
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
   * The owner for which the current thread resolves names. The HTTP client asks for addresses deep
   * within a call, with nothing but the name.
   */
  public static final ScopedValue<Object> OWNER = ScopedValue.newInstance();

  private static final Object NO_OWNER = "no owner";

  private static final class Owner {
    private int running;
    private final ArrayDeque<Lookup> waiting = new ArrayDeque<>();

    private boolean isIdle() {
      return running == 0 && waiting.isEmpty();
    }
  }

  private static final long THREAD_IDLE_SECONDS = 30;

  private final NameResolver resolver;
  private final TimeSource time;
  private final Limits limits;
  private final ConcurrentHashMap<String, Lookup> lookups = new ConcurrentHashMap<>();

  /** Owners with lookups; the first has waited longest. Guarded by itself. */
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
   * The addresses of a name, at least one. Each caller waits up to the limit, also for a lookup
   * that another caller started.
   *
   * @throws LookupsExhausted if the lookup got no thread in time
   * @throws UnknownHostException if there are none, or none within the limit
   */
  public InetAddress[] addresses(String host) throws UnknownHostException {
    Lookup lookup = current(host, OWNER.orElse(NO_OWNER));
    try {
      return lookup.result.get(limits.limit().toNanos(), TimeUnit.NANOSECONDS).clone();
    } catch (TimeoutException _) {
      throw late(lookup);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new UnknownHostException("interrupted while resolving " + host);
    } catch (ExecutionException failed) {
      throw failure(host, failed);
    }
  }

  /** A lookup that spent most of the time in a queue indicates nothing about the name. */
  private UnknownHostException late(Lookup lookup) {
    long limitNanos = limits.limit().toNanos();
    return lookup.started && time.nanos() - lookup.startedNanos >= limitNanos / 2
        ? new UnknownHostException(
            "DNS timeout: the name "
                + lookup.host
                + " was not resolved within "
                + limits.limit().toMillis()
                + " ms")
        : exhausted(lookup.host);
  }

  /** Cached hosts, including lookups in progress. */
  public int remembered() {
    return lookups.size();
  }

  private static UnknownHostException failure(String host, ExecutionException failed) {
    if (failed.getCause() instanceof LookupsExhausted exhausted) {
      return exhausted;
    }
    return new UnknownHostException("DNS: the name " + host + " does not resolve");
  }

  private Lookup current(String host, Object owner) throws LookupsExhausted {
    Lookup known = lookups.get(host);
    if (known != null && known.started && !known.isStale(time.nanos())) {
      return known;
    }
    makeRoom();
    Lookup lookup;
    synchronized (owners) {
      lookup = joined(host, owner);
    }
    startNext();
    return lookup;
  }

  /**
   * The lookup of a host, which waits in the queue of each owner that needs it until one of them
   * has a thread for it: the queue of one owner never delays another.
   */
  private Lookup joined(String host, Object owner) throws LookupsExhausted {
    long now = time.nanos();
    Lookup known = lookups.get(host);
    Lookup lookup = known == null || known.isStale(now) ? new Lookup(host) : known;
    if (lookup.started) {
      return lookup;
    }
    if (!lookup.owners.contains(owner)) {
      Owner asking = owners.computeIfAbsent(owner, _ -> new Owner());
      if (asking.waiting.size() >= limits.queued()) {
        throw exhausted(host);
      }
      asking.waiting.add(lookup);
      lookup.owners.add(owner);
      lookups.put(host, lookup);
    }
    lookup.askedNanos = now;
    return lookup;
  }

  private record Started(Object owner, Lookup lookup) {}

  /** Starts waiting lookups, each owner in turn, up to its share. */
  private void startNext() {
    for (Started next = next(); next != null; next = next()) {
      execute(next.owner(), next.lookup());
    }
  }

  private @Nullable Started next() {
    synchronized (owners) {
      for (Object owner = nextOwner(); owner != null; owner = nextOwner()) {
        Owner turn = Objects.requireNonNull(owners.get(owner));
        Lookup lookup = turn.waiting.remove();
        boolean abandoned = time.nanos() - lookup.askedNanos > limits.limit().toNanos();
        if (!abandoned) {
          turn.running++;
          running++;
          owners.putLast(owner, turn);
        }
        leaveQueues(lookup);
        if (!abandoned) {
          lookup.startedNanos = time.nanos();
          lookup.started = true;
          return new Started(owner, lookup);
        }
        refuse(lookup);
      }
      return null;
    }
  }

  private @Nullable Object nextOwner() {
    for (Map.Entry<Object, Owner> entry : owners.entrySet()) {
      Owner one = entry.getValue();
      if (!one.waiting.isEmpty()
          && limits.share().allows(one.running, limits.threads() - running)) {
        return entry.getKey();
      }
    }
    return null;
  }

  private void leaveQueues(Lookup lookup) {
    for (Object owner : lookup.owners) {
      Owner waiting = owners.get(owner);
      if (waiting != null) {
        waiting.waiting.remove(lookup);
        removeIfIdle(owner, waiting);
      }
    }
    lookup.owners.clear();
  }

  private void removeIfIdle(Object owner, Owner known) {
    if (known.isIdle()) {
      owners.remove(owner);
    }
  }

  private void execute(Object owner, Lookup lookup) {
    ThreadPoolExecutor threads = pool;
    try {
      if (threads == null) {
        throw new RejectedExecutionException("the lookup was not started");
      }
      threads.execute(
          () -> {
            try {
              run(lookup);
            } finally {
              ended(owner);
              startNext();
            }
          });
    } catch (RejectedExecutionException _) {
      ended(owner);
      refuse(lookup);
    }
  }

  private void ended(Object owner) {
    synchronized (owners) {
      running--;
      Owner known = owners.get(owner);
      if (known != null) {
        known.running--;
        removeIfIdle(owner, known);
      }
    }
  }

  private void refuse(Lookup lookup) {
    lookups.remove(lookup.host, lookup);
    lookup.result.completeExceptionally(exhausted(lookup.host));
  }

  private static LookupsExhausted exhausted(String host) {
    return new LookupsExhausted("too many concurrent DNS lookups; " + host + " is retried later");
  }

  private void run(Lookup lookup) {
    try {
      InetAddress[] found = resolver.resolve(lookup.host);
      if (found.length == 0) {
        throw new UnknownHostException(lookup.host);
      }
      lookup.staleNanos = time.nanos() + limits.keep().toNanos();
      lookup.result.complete(found);
    } catch (UnknownHostException | RuntimeException failed) {
      lookup.staleNanos = time.nanos() + limits.keepFailure().toNanos();
      lookup.result.completeExceptionally(failed);
    }
  }

  /**
   * Evicts stale hosts when the cache is full, and if that is not enough, any without a lookup in
   * progress.
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
    final String host;
    final CompletableFuture<InetAddress[]> result = new CompletableFuture<>();

    /** The owners in whose queues it waits for a thread. Guarded by the lock of the owners. */
    final Set<Object> owners = new HashSet<>();

    /** When it was last requested while it waited. Guarded by the lock of the owners. */
    long askedNanos;

    /** Written before it counts as started. */
    long startedNanos;

    volatile boolean started;

    /** Written before the result is completed. */
    volatile long staleNanos;

    Lookup(String host) {
      this.host = host;
    }

    /** A lookup in progress is never stale: a second one for the same host would hang likewise. */
    boolean isStale(long nowNanos) {
      return result.isDone() && nowNanos - staleNanos >= 0;
    }
  }
}
