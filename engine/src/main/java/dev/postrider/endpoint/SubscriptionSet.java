package dev.postrider.endpoint;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * The event types that one endpoint or queue subscribes to, indexed. Without entries it matches
 * every event type. Matching takes one hash lookup, and one more for each dot in the event type,
 * for any number of entries.
 */
public final class SubscriptionSet {
  public static final SubscriptionSet ALL = new SubscriptionSet(true, Set.of(), Set.of());

  private final boolean all;
  private final Set<String> exact;
  private final Set<String> prefixes;

  private SubscriptionSet(boolean all, Set<String> exact, Set<String> prefixes) {
    this.all = all;
    this.exact = exact;
    this.prefixes = prefixes;
  }

  public static SubscriptionSet of(Collection<? extends Subscription> rows) {
    if (rows.isEmpty()) {
      return ALL;
    }
    Set<String> exact = new HashSet<>();
    Set<String> prefixes = new HashSet<>();
    for (Subscription row : rows) {
      switch (row) {
        case Subscription.All() -> {
          return ALL;
        }
        case Subscription.Exact(String type) -> exact.add(type);
        case Subscription.Prefix(String prefix) -> prefixes.add(prefix);
      }
    }
    return new SubscriptionSet(false, exact, prefixes);
  }

  /** From the rows' texts; see {@link Subscription#parse}. */
  public static SubscriptionSet parse(Collection<String> texts) {
    return of(texts.stream().map(Subscription::parse).toList());
  }

  public boolean matches(String eventType) {
    return all || exact.contains(eventType) || matchesPrefix(eventType);
  }

  /**
   * A receiver without channels takes every message; one with channels takes those that share one
   * with it.
   */
  public static boolean sharesChannel(
      Collection<String> receiverChannels, Collection<String> messageChannels) {
    return receiverChannels.isEmpty() || !Collections.disjoint(receiverChannels, messageChannels);
  }

  private boolean matchesPrefix(String eventType) {
    if (prefixes.isEmpty()) {
      return false;
    }
    for (int dot = eventType.indexOf('.'); dot >= 0; dot = eventType.indexOf('.', dot + 1)) {
      if (prefixes.contains(eventType.substring(0, dot + 1))) {
        return true;
      }
    }
    return false;
  }
}
