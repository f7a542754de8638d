package dev.postrider.cli.option;

import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Quantities;
import dev.postrider.time.SystemTime;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Times in options: {@code 2026-01-31T12:00:00Z}, or {@code 2h} for two hours ago. */
public final class TimeOptions {
  private TimeOptions() {}

  public static @Nullable String parse(@Nullable String text, String flag) {
    if (text == null) {
      return null;
    }
    try {
      return Instant.parse(text).toString();
    } catch (DateTimeException _) {
      // Perhaps a duration.
    }
    try {
      return new SystemTime().now().minus(Quantities.parseDuration(text)).toString();
    } catch (IllegalArgumentException e) {
      throw new UserError(
          "%s: \"%s\" is not a time. Use a time such as 2026-01-31T12:00:00Z, or an age such as 30m, 2h or 7d."
              .formatted(flag, text));
    }
  }
}
