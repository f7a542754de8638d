package dev.postrider.maintenance;

import dev.postrider.tenant.RetentionSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Retention of finished deliveries and messages, counted from their terminal time.
 *
 * @param delivered delivered and canceled deliveries, with their message and attempts
 * @param unrouted messages without a delivery, counted from their acceptance
 */
public record Retention(Duration delivered, Duration deadLetters, Duration unrouted) {

  /** Overridden by the settings of an environment or an application. */
  Retention overriddenBy(RetentionSettings settings) {
    return new Retention(
        or(settings.deliveredHours(), delivered),
        or(settings.deadLetterHours(), deadLetters),
        or(settings.unroutedHours(), unrouted));
  }

  private static Duration or(@Nullable Integer hours, Duration otherwise) {
    return hours == null ? otherwise : Duration.ofHours(hours);
  }

  Cutoffs cutoffs(long nowMs) {
    return new Cutoffs(
        nowMs - delivered.toMillis(), nowMs - deadLetters.toMillis(), nowMs - unrouted.toMillis());
  }

  /** The latest end times of deliveries that may be deleted, by status. */
  record Cutoffs(long deliveredMs, long deadMs, long unroutedMs) {
    /** No message that was accepted after this can be prunable: nothing ends before it begins. */
    long latestMs() {
      return Math.max(deliveredMs, Math.max(deadMs, unroutedMs));
    }
  }
}
