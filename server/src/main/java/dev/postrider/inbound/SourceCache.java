package dev.postrider.inbound;

import dev.postrider.crypto.MasterKeyUnavailable;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.compiled.CompiledSource;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceToken;
import dev.postrider.inbound.store.SourceRows;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.json.InvalidFields;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Cache of all sources, so that a request needs no database access to be verified. A change by this
 * instance is visible at once; a change by another instance after its signal, and at the latest
 * after {@link #LOOK_EVERY_MS}. An unknown name is looked up in the database, once for all
 * concurrent callers, because unauthenticated callers may guess names.
 */
public final class SourceCache implements AutoCloseable {
  static final long LOOK_EVERY_MS = 5_000;

  /**
   * How often requests with unknown names may reload all sources while one of them cannot be
   * loaded.
   */
  static final long OPEN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final System.Logger LOG = System.getLogger(SourceCache.class.getName());

  /**
   * Thrown when a source exists but cannot be loaded now, for example while the KMS is unreachable.
   */
  static final class SourceUnavailable extends Exception {
    private static final long serialVersionUID = 1;

    SourceUnavailable(String id) {
      super("the source " + id + " cannot be loaded now", null, false, false);
    }
  }

  /**
   * The cache entry for a name or secret token that identifies a source.
   *
   * @param sourceId the id of the source, even if the source could not be loaded
   */
  private record Entry(String sourceId, @Nullable Long untilMs) {}

  /**
   * A snapshot of all sources in the cache.
   *
   * @param shut the ids of sources that could not be loaded
   */
  private record Book(
      long version, Map<String, Entry> byKey, Map<String, CompiledSource> byId, Set<String> shut) {
    static final Book EMPTY = new Book(-1, Map.of(), Map.of(), Set.of());

    boolean complete() {
      return shut.isEmpty();
    }
  }

  private final SourceStore store;
  private final TimeSource time;
  private final ReentrantLock loading = new ReentrantLock();
  private final PeriodicLoop looker = new PeriodicLoop("sources", this::turn);
  private final SingleFlight look;
  private volatile Book book = Book.EMPTY;
  private long readAtNanos; // guarded by loading

  public SourceCache(SourceStore store, TimeSource time) {
    this.store = store;
    this.time = time;
    this.look = new SingleFlight(this::lookForUnknown, time);
  }

  /** Loads the sources if the database is available; otherwise, and later, its own thread does. */
  public void start() {
    try {
      reload();
    } catch (DatabaseUnavailable e) {
      LOG.log(
          Level.DEBUG, "the source cache could not be refreshed, retrying: {0}", e.getMessage());
    }
    looker.start();
  }

  /** Another instance may have changed a source; reloaded soon, on this object's own thread. */
  public void lookSoon() {
    looker.wake();
  }

  /**
   * This instance has changed a source; when this returns, requests are handled with the new
   * version.
   */
  public void changedHere() {
    try {
      reload();
    } catch (DatabaseUnavailable e) {
      lookSoon();
    }
  }

  private long turn() {
    try {
      reload();
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "sources could not be checked for changes", e);
    }
    return LOOK_EVERY_MS;
  }

  @Override
  public void close() {
    looker.requestStop();
  }

  /**
   * The source for the rest of the path: a name of the default environment, an environment and a
   * name, an id, or a token.
   *
   * @throws SourceUnavailable if the name is unknown and the database is unavailable, or if it is
   *     known and cannot be loaded
   */
  @Nullable CompiledSource find(String key) throws SourceUnavailable {
    Book current = book;
    Entry entry = in(current, key);
    if (entry == null || current.shut().contains(entry.sourceId())) {
      look.take();
      current = book;
      entry = in(current, key);
    }
    if (entry == null) {
      return null;
    }
    CompiledSource compiled = current.byId().get(entry.sourceId());
    if (compiled == null) {
      throw new SourceUnavailable(entry.sourceId());
    }
    return compiled;
  }

  private @Nullable Entry in(Book current, String key) {
    String name =
        key.startsWith(SourceToken.PREFIX)
            ? HexFormat.of().formatHex(new SourceToken(key).hash())
            : key;
    Entry entry = current.byKey().get(name);
    Long until = entry == null ? null : entry.untilMs();
    return until != null && until <= time.nowMs() ? null : entry;
  }

  /** The cron sources. */
  public List<CompiledSource> clocks() {
    return book.byId().values().stream()
        .filter(compiled -> compiled.source().form().isCron())
        .toList();
  }

  /** Disables a source whose application was deleted. */
  public void disable(Source source) {
    store.disable(source);
  }

  /** Stores a secret from the handshake of a provider, unless the source has one meanwhile. */
  boolean learn(Source source, SourceSecret secret) {
    return store.learn(source, secret);
  }

  private void reload() {
    loading.lock();
    try {
      if (!book.complete() || changed()) {
        readAll();
      }
    } finally {
      loading.unlock();
    }
  }

  private void lookForUnknown() {
    loading.lock();
    try {
      if (changed() || (!book.complete() && time.nanos() - readAtNanos >= OPEN_EVERY_NANOS)) {
        readAll();
      }
    } finally {
      loading.unlock();
    }
  }

  private boolean changed() {
    return store.changes() != book.version();
  }

  private void readAll() {
    book = read(book, store.all());
    readAtNanos = time.nanos();
  }

  private Book read(Book before, SourceStore.All all) {
    Map<String, Entry> byKey = new HashMap<>();
    Map<String, CompiledSource> byId = new HashMap<>();
    Set<String> shut = new HashSet<>();
    for (Source source : all.sources()) {
      String id = source.id().text(IdKind.SOURCE);
      CompiledSource compiled = before.byId().get(id);
      if (compiled == null || compiled.source().version() != source.version()) {
        compiled = open(source, all, before.shut().contains(id) ? Level.DEBUG : Level.ERROR);
        warnIfUnverified(source);
      }
      if (compiled == null) {
        shut.add(id); // its key may be readable later
      } else {
        byId.put(id, compiled);
      }
      if (!source.hasToken()) {
        for (String key : List.of(id, source.key(), source.qualifiedKey())) {
          byKey.put(key, new Entry(id, null));
        }
      }
    }
    for (SourceRows.TokenHash token : all.tokens()) {
      byKey.put(
          HexFormat.of().formatHex(token.hash()),
          new Entry(token.sourceId().text(IdKind.SOURCE), token.untilMs()));
    }
    return new Book(all.version(), Map.copyOf(byKey), Map.copyOf(byId), Set.copyOf(shut));
  }

  private static void warnIfUnverified(Source source) {
    if (source.form().skipsVerification()) {
      LOG.log(
          Level.WARNING, "source {0}: {1}", source.form().name(), SourceForm.SKIPS_VERIFICATION);
    }
  }

  /**
   * @param loudness log level: the first error is for the operator, repeats are not
   */
  private @Nullable CompiledSource open(Source source, SourceStore.All all, Level loudness) {
    String name = source.form().name();
    try {
      return store.open(source, all.secrets().getOrDefault(source.id(), List.of()));
    } catch (InvalidFields e) {
      LOG.log(
          loudness,
          "the configuration of source {0} is not valid; change the source: {1}",
          name,
          e.getMessage());
    } catch (MasterKeyUnavailable e) {
      LOG.log(
          loudness,
          "source {0} returns 503 until its secret can be decrypted: {1}",
          name,
          e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(loudness, "the source " + name + " cannot be loaded and returns 503", e);
    }
    return null;
  }
}
