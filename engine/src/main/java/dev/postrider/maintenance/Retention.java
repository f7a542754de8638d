package dev.postrider.maintenance;

import dev.postrider.options.RetentionOptions;
import dev.postrider.tenant.RetentionSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The retention periods of one application: how long its rows are kept. */
final class Retention {
  private Retention() {}

  /** Overridden by the settings of an environment or an application. */
  static RetentionOptions overridden(RetentionOptions general, RetentionSettings settings) {
    return new RetentionOptions(
        or(settings.deliveredHours(), general.delivered()),
        or(settings.deadLetterHours(), general.deadLetters()),
        or(settings.unroutedHours(), general.unrouted()),
        general.audit(),
        general.at());
  }

  private static Duration or(@Nullable Integer hours, Duration otherwise) {
    return hours == null ? otherwise : Duration.ofHours(hours);
  }

  /** The latest end times of deliveries that may be deleted, by status. */
  record Cutoffs(long deliveredMs, long deadMs, long unroutedMs) {
    static Cutoffs of(RetentionOptions retention, long nowMs) {
      return new Cutoffs(
          nowMs - retention.delivered().toMillis(),
          nowMs - retention.deadLetters().toMillis(),
          nowMs - retention.unrouted().toMillis());
    }

    /** No message that was accepted after this can be prunable: nothing ends before it begins. */
    long latestMs() {
      return Math.max(deliveredMs, Math.max(deadMs, unroutedMs));
    }
  }
}
