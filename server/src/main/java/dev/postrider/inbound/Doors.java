package dev.postrider.inbound;

import dev.postrider.id.IdKind;
import dev.postrider.json.InvalidFields;
import dev.postrider.storage.DatabaseAway;
import dev.postrider.tenant.Environment;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All sources in memory, so that a request needs no database to be judged. A change made here is
 * seen at once; one made by another instance after its signal, and at the latest after {@link
 * #LOOK_EVERY_MS}. A name that is not known asks the database, all callers together: strangers may
 * guess.
 */
public final class Doors implements AutoCloseable {
  static final long LOOK_EVERY_MS = 5_000;

  /** How often unknown names may have all sources read again while one of them cannot be opened. */
  static final long OPEN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final System.Logger LOG = System.getLogger(Doors.class.getName());

  /** A way in by a token that will end. */
  private record Entry(Door door, @Nullable Long untilMs) {}

  private record Book(
      long version, Map<String, Entry> byKey, Map<String, Door> byId, boolean complete) {
    static final Book EMPTY = new Book(-1, Map.of(), Map.of(), true);
  }

  private final SourceStore store;
  private final TimeSource time;
  private final ReentrantLock loading = new ReentrantLock();
  private final Thread looker = Thread.ofPlatform().name("sources").daemon().unstarted(this::loop);
  private final SharedLook look;
  private volatile Book book = Book.EMPTY;
  private long readAtNanos; // guarded by loading
  private volatile boolean stopping;

  public Doors(SourceStore store, TimeSource time) {
    this.store = store;
    this.time = time;
    this.look = new SharedLook(this::lookForUnknown, time);
  }

  /** Loads, if the database answers; the rest is done by a thread of its own. */
  public void start() {
    try {
      reload();
    } catch (DatabaseAway e) {
      LOG.log(Level.DEBUG, "sources are loaded later: {0}", e.getMessage());
    }
    looker.start();
  }

  /** Something may have changed elsewhere; looked at soon, on this object's own thread. */
  public void lookSoon() {
    LockSupport.unpark(looker);
  }

  /** Something has changed here; when this returns, requests are judged by it. */
  public void changedHere() {
    try {
      reload();
    } catch (DatabaseAway e) {
      lookSoon();
    }
  }

  private void loop() {
    while (!stopping) {
      try {
        reload();
      } catch (RuntimeException e) {
        LOG.log(Level.DEBUG, "sources could not be looked at", e);
      }
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY_MS));
    }
  }

  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(looker);
  }

  /**
   * The source behind a segment of the path: a name of the default environment, an id, or a token.
   *
   * @throws DatabaseAway if only the database could tell
   */
  @Nullable Door find(String key) {
    Door known = in(book, key);
    if (known != null) {
      return known;
    }
    look.take();
    return in(book, key);
  }

  private @Nullable Door in(Book current, String key) {
    String name =
        key.startsWith(SourceToken.PREFIX)
            ? HexFormat.of().formatHex(new SourceToken(key).hash())
            : key;
    Entry entry = current.byKey().get(name);
    return entry == null || (entry.untilMs() != null && entry.untilMs() <= time.nowMs())
        ? null
        : entry.door();
  }

  /** The clocks among them. */
  List<Door> clocks() {
    return book.byId().values().stream()
        .filter(door -> door.source().form().cron() != null)
        .toList();
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
    Map<String, Door> byId = new HashMap<>();
    boolean complete = true;
    for (Source source : all.sources()) {
      String id = source.id().text(IdKind.SOURCE);
      Door door = before.byId().get(id);
      if (door == null || door.source().version() != source.version()) {
        door = open(source, all);
      }
      if (door == null) {
        complete = false; // its key may be readable later
        continue;
      }
      byId.put(id, door);
      if (!source.hasToken()) {
        byKey.put(id, new Entry(door, null));
        if (source.environmentId().equals(Environment.DEFAULT_ID)) {
          byKey.put(source.form().name(), new Entry(door, null));
        }
      }
    }
    for (SourceRows.TokenHash token : all.tokens()) {
      Door door = byId.get(token.sourceId().text(IdKind.SOURCE));
      if (door != null) {
        byKey.put(HexFormat.of().formatHex(token.hash()), new Entry(door, token.untilMs()));
      }
    }
    return new Book(all.version(), Map.copyOf(byKey), Map.copyOf(byId), complete);
  }

  private @Nullable Door open(Source source, SourceStore.All all) {
    try {
      return store.open(source, all.secrets().getOrDefault(source.id(), List.of()));
    } catch (InvalidFields e) {
      LOG.log(
          Level.ERROR,
          "the source {0} cannot be opened, change it: {1}",
          source.form().name(),
          e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "the source " + source.form().name() + " cannot be opened", e);
    }
    return null;
  }
}
