package dev.postrider.delivery.accept;

import dev.postrider.message.NewMessage;
import dev.postrider.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Applies the idempotency window of an event type or an application, which decides when the same
 * idempotency key is accepted again. A source with its own window for duplicates is not affected.
 *
 * @param maxMs longer windows count as this
 */
public record KeyWindow(TimeSource time, long maxMs) {
  /**
   * The message with the expiry of its key.
   *
   * @param windowMs 0 means no own window
   */
  NewMessage applyTo(NewMessage message, int windowMs) {
    Long until = until(windowMs);
    return until == null || message.key() == null ? message : message.withKeyUntil(until);
  }

  /** When a key that is stored now expires; null means the window of the server. */
  @Nullable Long until(int windowMs) {
    return windowMs == 0 ? null : time.nowMs() + Math.min(windowMs, maxMs);
  }
}
