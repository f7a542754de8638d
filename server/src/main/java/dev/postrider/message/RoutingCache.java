package dev.postrider.message;

import dev.postrider.endpoint.Routing;
import dev.postrider.endpoint.RoutingStore;
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

  private @Nullable Routing load(Name name) {
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
