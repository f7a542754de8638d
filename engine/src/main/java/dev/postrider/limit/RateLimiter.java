package dev.postrider.limit;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A throttle in memory for each key ({@link Gcra}). The number of keys is limited; keys that have
 * not been used for a while are removed to make space. The caller chooses the unit of time. A call
 * for a known key allocates nothing.
 */
public final class RateLimiter<K> {

  /** What happens to a call with a new key while the maximum number of keys is in use. */
  public enum WhenFull {
    /** The call is refused. For keys that unauthenticated callers choose. */
    REFUSE,
    /**
     * All keys are removed and start again with a full burst. For keys of authenticated callers.
     */
    FORGET_ALL
  }

  /**
   * After a search for unused keys without success, the next one waits for this part of a burst.
   */
  private static final int SEARCHES_PER_BURST = 10;

  private final ConcurrentHashMap<K, AtomicLong> arrivals = new ConcurrentHashMap<>();
  private final int maxKeys;
  private final WhenFull whenFull;
  private final int maxTogether;
  private final AtomicLong noSearchBefore = new AtomicLong(Long.MIN_VALUE);

  public RateLimiter(int maxKeys, WhenFull whenFull) {
    this(maxKeys, whenFull, 1);
  }

  /**
   * @param maxTogether how many tokens one call may take
   */
  RateLimiter(int maxKeys, WhenFull whenFull, int maxTogether) {
    this.maxKeys = maxKeys;
    this.whenFull = whenFull;
    this.maxTogether = maxTogether;
  }

  /**
   * Takes a token of a key, if there is one now.
   *
   * @param interval the time for which one token stands, above 0
   * @param limit the time for which a full burst stands, at least the interval
   * @return 0 if the token was taken, else the time until the next one
   */
  public long acquire(K key, long now, long interval, long limit) {
    return acquire(key, now, interval, limit, 1);
  }

  /**
   * Takes several tokens if there is one now. Those that are missing are a debt: the next token
   * comes later.
   */
  long acquire(K key, long now, long interval, long limit, int tokens) {
    long maxDebt = (maxTogether - 1) * interval;
    AtomicLong arrival = arrivals.get(key);
    if (arrival == null) {
      if (arrivals.size() >= maxKeys && !makeRoom(now, limit)) {
        return interval;
      }
      AtomicLong fresh = new AtomicLong(now);
      AtomicLong other = arrivals.putIfAbsent(key, fresh);
      arrival = other == null ? fresh : other;
    }
    while (true) {
      long tat = arrival.get();
      long lead = Gcra.lead(tat, now, (double) limit, (double) maxDebt);
      long wait = Gcra.wait(lead, interval, limit);
      if (wait > 0) {
        if (tat - now > lead) {
          arrival.compareAndSet(tat, now + lead); // left behind by a slower rate
        }
        return wait;
      }
      if (arrival.compareAndSet(tat, now + lead + tokens * interval)) {
        return 0;
      }
    }
  }

  /** Whether {@link #acquire} would get a token now; takes none. */
  public boolean isAvailable(K key, long now, long interval, long limit) {
    AtomicLong arrival = arrivals.get(key);
    return arrival == null || Gcra.wait(lead(arrival.get(), now, limit), interval, limit) == 0;
  }

  private static long lead(long tat, long now, long limit) {
    return Gcra.lead(tat, now, (double) limit, 0);
  }

  int size() {
    return arrivals.size();
  }

  /**
   * Removes the keys that have their full burst. A call that takes a token of such a key at the
   * same moment may be forgotten with it, so that a burst can be one larger.
   */
  private boolean makeRoom(long now, long limit) {
    long notBefore = noSearchBefore.get();
    boolean maySearch = notBefore == Long.MIN_VALUE || now - notBefore >= 0;
    if (maySearch
        && noSearchBefore.compareAndSet(notBefore, now + Math.max(1, limit / SEARCHES_PER_BURST))) {
      arrivals.values().removeIf(arrival -> arrival.get() - now <= 0);
    }
    if (arrivals.size() < maxKeys) {
      return true;
    }
    return switch (whenFull) {
      case REFUSE -> false;
      case FORGET_ALL -> {
        arrivals.clear();
        yield true;
      }
    };
  }
}
