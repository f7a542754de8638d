package dev.postrider.endpoint;

import dev.postrider.id.Id;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint or queue in the routing cache: the fields that decide whether it gets a message, and
 * whether the delivery may be leased at insert.
 *
 * @param eventTtlMs that of the endpoint, of its source or of the server; null if there is none
 * @param pulled whether it is a pull queue, whose consumers fetch messages
 */
public record RouteTarget(
    Id endpointId,
    int version,
    boolean disabled,
    Lane lane,
    @Nullable Integer throttleRate,
    @Nullable Integer maxInFlight,
    @Nullable Integer initialDelayMs,
    @Nullable Integer eventTtlMs,
    SubscriptionSet subscriptions,
    Set<String> channels,
    boolean pulled,
    Content content) {

  /**
   * What is looked at in a message for it.
   *
   * @param shaped what is sent may be other than what was accepted, see {@link
   *     EndpointConfig.Shape#needed}
   * @param dedupe the expression for its deduplication key; null for none
   */
  public record Content(boolean shaped, @Nullable String dedupe) {}

  /**
   * The state of the lane of an endpoint, as far as leasing at insert depends on it.
   *
   * @param circuit the stored circuit state (see {@code Circuit})
   * @param slowUntilMs no attempt starts before this time
   * @param reducedCap the lowered in-flight cap, 0 for none
   */
  public record Lane(
      boolean paused, boolean ordered, int circuit, long slowUntilMs, int reducedCap) {}

  /** See {@link Content}. */
  public boolean shaped() {
    return content.shaped();
  }

  /** See {@link Content}. */
  public @Nullable String dedupe() {
    return content.dedupe();
  }

  /** Whether it is to get a message of that type and with those channels. */
  public boolean takes(String eventType, Collection<String> messageChannels) {
    return !disabled
        && subscriptions.matches(eventType)
        && SubscriptionSet.sharesChannel(channels, messageChannels);
  }
}
