package dev.postrider.tenant;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The event TTL of the server: how long after its message was accepted the first attempt of a
 * delivery may start. Endpoints, queues and sources may have their own.
 *
 * @param serverMs null if there is none
 */
public record EventTtl(@Nullable Integer serverMs) {
  public static final EventTtl NONE = new EventTtl((Integer) null);

  public EventTtl(Optional<Duration> server) {
    this(server.map(ttl -> Math.toIntExact(ttl.toMillis())).orElse(null));
  }

  /** The one that applies to an endpoint or queue. */
  public @Nullable Integer of(@Nullable Integer own) {
    return own == null ? serverMs : own;
  }

  /**
   * When a delivery expires.
   *
   * @param ttlMs that of its endpoint or queue
   * @param unstartedSinceMs when it was created; null if an attempt was made, or a caller asked for
   *     one, so that it does not expire
   * @param deliverAtMs when its message was to be delivered
   * @return null if it does not expire
   */
  public static @Nullable Long expiresAt(
      @Nullable Integer ttlMs, @Nullable Long unstartedSinceMs, @Nullable Long deliverAtMs) {
    return ttlMs == null || unstartedSinceMs == null
        ? null
        : Long.valueOf(Math.max(unstartedSinceMs, deliverAtMs == null ? 0 : deliverAtMs) + ttlMs);
  }
}
