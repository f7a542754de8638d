package dev.postrider.delivery.accept;

import dev.postrider.endpoint.Routing;
import dev.postrider.endpoint.RoutingStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Cache of routings by the id or uid that callers use. An entry may be stale: the accept statement
 * checks its version, and on a mismatch the caller reloads. Unknown applications are not cached.
 */
public final class RoutingCache implements Routing.Source {
  static final int MAX_ENTRIES = 50_000;
  private static final int NO_VERSION = -1;

  private record Name(String environmentId, String application) {}

  private final RoutingStore store;
  private final ConcurrentHashMap<Name, Routing> entries = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Name, CompletableFuture<@Nullable Routing>> loading =
      new ConcurrentHashMap<>();

  public RoutingCache(RoutingStore store) {
    this.store = store;
  }

  public @Nullable Routing get(String environmentId, String application) {
    Name name = new Name(environmentId, application);
    Routing known = entries.get(name);
    return known != null ? known : load(name, NO_VERSION);
  }

  @Override
  public @Nullable Routing current(String environmentId, String application) {
    Routing known = get(environmentId, application);
    return known == null ? null : reload(environmentId, application, known.version());
  }

  /** Reloads from the database, after an entry of that version turned out to be stale. */
  public @Nullable Routing reload(String environmentId, String application, int staleVersion) {
    Name name = new Name(environmentId, application);
    Routing known = entries.get(name);
    return known != null && known.version() != staleVersion ? known : load(name, staleVersion);
  }

  /**
   * Loads once for all concurrent callers: a change of a busy application must not send every
   * caller to the database. A caller that joined a load may get a state from before its call, so a
   * result that does not help it is not used.
   */
  private @Nullable Routing load(Name name, int staleVersion) {
    CompletableFuture<@Nullable Routing> mine = new CompletableFuture<>();
    CompletableFuture<@Nullable Routing> other = loading.putIfAbsent(name, mine);
    if (other != null) {
      Routing joined = other.join();
      return joined != null && joined.version() != staleVersion && joined.active()
          ? joined
          : load(name);
    }
    try {
      Routing loaded = load(name);
      mine.complete(loaded);
      return loaded;
    } finally {
      loading.remove(name, mine);
      mine.complete(null);
    }
  }

  private @Nullable Routing load(Name name) {
    Routing loaded = store.load(name.environmentId(), name.application());
    if (loaded == null) {
      entries.remove(name);
      return null;
    }
    if (entries.size() >= MAX_ENTRIES) {
      entries.clear(); // rare, and cheaper than an LRU order: the busy ones are reloaded at once
    }
    // An older load that comes late must not replace a newer one.
    entries.merge(
        name,
        loaded,
        (a, b) -> a.applicationId().equals(b.applicationId()) && a.version() > b.version() ? a : b);
    return loaded;
  }

  public void clear() {
    entries.clear();
  }
}
