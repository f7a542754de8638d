package dev.postrider.tenant.key;

import dev.postrider.id.Id;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates callers with a cache. A key in use is reloaded in the background before its entry
 * is too old, so that the usual call needs no database access and a revoked key still stops working
 * within a second on every instance.
 */
public final class ApiKeys implements AutoCloseable {
  static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  static final long TOO_OLD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Unknown tokens are cached too; beyond this many entries the cache is cleared. */
  static final int MAX_ENTRIES = 10_000;

  static final int MAX_TOKEN_LENGTH = 4_096;

  private static final System.Logger LOG = System.getLogger(ApiKeys.class.getName());

  private final ApiKeyStore store;
  private final @Nullable JwtTokens jwts;
  private final @Nullable LocalTokens locals;
  private final TimeSource time;
  private final Map<Id, Entry> entries = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();

  /** How often the cache was cleared; entries read before that are not stored. */
  private long forgotten;

  private final ExecutorService background =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("api-keys-", 0).factory());

  public ApiKeys(ApiKeyStore store, TimeSource time) {
    this(store, null, time);
  }

  /**
   * @param jwts tokens that are accepted in addition to the keys; null for none
   */
  public ApiKeys(ApiKeyStore store, @Nullable JwtTokens jwts, TimeSource time) {
    this(store, jwts, null, time);
  }

  /**
   * @param locals tokens of the command line on this machine; null for none
   */
  public ApiKeys(
      ApiKeyStore store, @Nullable JwtTokens jwts, @Nullable LocalTokens locals, TimeSource time) {
    this.store = store;
    this.jwts = jwts;
    this.locals = locals;
    this.time = time;
  }

  @SuppressWarnings("ArrayRecordComponent") // compared in constant time, where it is
  private record Entry(
      byte[] hash, @Nullable ApiKey key, long readAtNanos, AtomicBoolean refreshing) {
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /** The key of the token if it is valid now; null if not. */
  public @Nullable ApiKey authenticate(String text) {
    return authenticate(ApiToken.of(text));
  }

  /** The same for a token that is presented again: it is hashed once. */
  public @Nullable ApiKey authenticate(ApiToken presented) {
    String token = presented.text();
    if (token.isEmpty() || token.length() > MAX_TOKEN_LENGTH) {
      return null;
    }
    ApiKey byJwt = jwts == null ? null : jwts.authenticate(token);
    if (byJwt != null) {
      return byJwt;
    }
    if (locals != null && token.startsWith(LocalTokens.PREFIX)) {
      return locals.authenticate(token);
    }
    ApiKey key = current(presented.slot(), presented.hash()).key();
    return key != null && key.worksAt(Instant.ofEpochMilli(time.nowMs())) ? key : null;
  }

  /** Whether the text is the secret that JWTs are signed with, which is not a credential itself. */
  public boolean isJwtSecret(String token) {
    return jwts != null && jwts.isSecret(token);
  }

  private Entry current(Id slot, byte[] hash) {
    Entry entry = entries.get(slot);
    if (entry == null || !MessageDigest.isEqual(entry.hash(), hash)) {
      return read(slot, hash);
    }
    long age = time.nanos() - entry.readAtNanos();
    if (age >= TOO_OLD_NANOS) {
      return read(slot, hash);
    }
    if (age >= REFRESH_NANOS && entry.refreshing().compareAndSet(false, true)) {
      inBackground(() -> read(slot, hash));
    }
    return entry;
  }

  private Entry read(Id slot, byte[] hash) {
    long started = time.nanos();
    long generation = generation();
    ApiKey key = store.find(hash).orElse(null);
    Entry entry = new Entry(hash, key, started, new AtomicBoolean());
    keep(slot, entry, generation);
    if (key != null && key.worksAt(Instant.ofEpochMilli(time.nowMs()))) {
      inBackground(() -> store.used(key));
    }
    return entry;
  }

  private long generation() {
    lock.lock();
    try {
      return forgotten;
    } finally {
      lock.unlock();
    }
  }

  /** Unless a key was revoked since it was read: it may be that one. */
  private void keep(Id slot, Entry entry, long generation) {
    lock.lock();
    try {
      if (forgotten != generation) {
        return;
      }
      if (entries.size() >= MAX_ENTRIES) {
        entries.clear();
      }
      entries.put(slot, entry);
    } finally {
      lock.unlock();
    }
  }

  private void inBackground(Runnable work) {
    try {
      background.execute(
          () -> {
            try {
              work.run();
            } catch (RuntimeException e) {
              // The next caller reads in the foreground and gets the error.
              LOG.log(Level.DEBUG, "reloading an API key in the background failed", e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "stopping", e);
    }
  }

  /**
   * Clears the cache, for a caller that has just revoked a key. Returns when no other instance can
   * have the key in its cache any more: after the response, the key is invalid everywhere.
   */
  public void forget() {
    lock.lock();
    try {
      forgotten++;
      entries.clear();
    } finally {
      lock.unlock();
    }
    if (!store.sharedWithOthers()) {
      return;
    }
    long over = time.nanos() + TOO_OLD_NANOS;
    for (long left = TOO_OLD_NANOS; left > 0; left = over - time.nanos()) {
      LockSupport.parkNanos(this, left);
    }
  }

  @Override
  public void close() {
    background.close();
  }
}
