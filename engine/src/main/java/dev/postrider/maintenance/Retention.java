package dev.postrider.maintenance;

import dev.postrider.tenant.RetentionSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long finished things are kept, counted from their terminal time.
 *
 * @param delivered delivered and canceled deliveries, with their message and attempts
 * @param unrouted messages without a delivery, counted from their acceptance
 */
public record Retention(Duration delivered, Duration deadLetters, Duration unrouted) {

  /** With the choices of an environment or an application in place of these. */
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

  /** What ended at or before these times may go. */
  record Cutoffs(long deliveredMs, long deadMs, long unroutedMs) {
    /** No message that was accepted after this can be prunable: nothing ends before it begins. */
    long latestMs() {
      return Math.max(deliveredMs, Math.max(deadMs, unroutedMs));
    }
  }
}
