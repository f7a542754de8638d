package dev.postrider.endpoint;

import dev.postrider.id.Id;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint as the accepting path sees it: enough to decide whether it gets a message and whether
 * the delivery may start at once.
 *
 * @param circuit the lane's stored circuit state (see {@code Circuit})
 * @param slowUntilMs nothing of the lane starts before this
 * @param reducedCap the lane's lowered in-flight cap, 0 for none
 * @param pulled a queue: it is asked, never called
 * @param filtered it has an expression filter, which runs before the first try
 */
public record RouteTarget(
    Id endpointId,
    int version,
    boolean disabled,
    boolean paused,
    boolean ordered,
    @Nullable Integer throttleRate,
    @Nullable Integer maxInFlight,
    @Nullable Integer initialDelayMs,
    SubscriptionSet subscriptions,
    Set<String> channels,
    int circuit,
    long slowUntilMs,
    int reducedCap,
    boolean filtered,
    boolean pulled) {

  /** Whether it is to get a message of that type and with those channels. */
  public boolean takes(String eventType, Collection<String> messageChannels) {
    return !disabled
        && subscriptions.matches(eventType)
        && SubscriptionSet.sharesChannel(channels, messageChannels);
  }
}
