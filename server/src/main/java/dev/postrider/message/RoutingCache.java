package dev.postrider.message;

import dev.postrider.endpoint.Routing;
import dev.postrider.endpoint.RoutingStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Routings by the name that callers use. An entry may be stale: the accept statement checks its
 * version, and a caller that is told so reloads. Absent applications are not remembered.
 */
public final class RoutingCache {
  static final int MAX_ENTRIES = 50_000;

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
    return known != null ? known : load(name);
  }

  /** What the database says now, after an entry of that version turned out to be stale. */
  public @Nullable Routing reload(String environmentId, String application, int staleVersion) {
    Name name = new Name(environmentId, application);
    Routing known = entries.get(name);
    return known != null && known.version() != staleVersion ? known : load(name);
  }

  /**
   * Loads once for all who ask at the same time: after a start or a change, hundreds of callers may
   * miss the same entry.
   */
  private @Nullable Routing load(Name name) {
    CompletableFuture<@Nullable Routing> mine = new CompletableFuture<>();
    CompletableFuture<@Nullable Routing> first = loading.putIfAbsent(name, mine);
    if (first != null) {
      return await(first);
    }
    try {
      mine.complete(read(name));
    } catch (Throwable fault) {
      mine.completeExceptionally(fault);
    } finally {
      loading.remove(name, mine);
    }
    return await(mine);
  }

  private static @Nullable Routing await(CompletableFuture<@Nullable Routing> result) {
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private @Nullable Routing read(Name name) {
    Routing loaded = store.load(name.environmentId(), name.application());
    if (loaded == null) {
      entries.remove(name);
      return null;
    }
    if (entries.size() >= MAX_ENTRIES) {
      entries.clear(); // rare, and cheaper than keeping an order: the busy ones are back at once
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
