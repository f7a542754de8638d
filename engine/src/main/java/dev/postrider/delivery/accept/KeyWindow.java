package dev.postrider.delivery.accept;

import dev.postrider.message.NewMessage;
import dev.postrider.time.TimeSource;

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
    return windowMs == 0 || message.key() == null
        ? message
        : message.withKeyUntil(time.nowMs() + Math.min(windowMs, maxMs));
  }
}
