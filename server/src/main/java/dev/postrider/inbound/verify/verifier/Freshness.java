package dev.postrider.inbound.verify.verifier;

import dev.postrider.config.Quantities;
import dev.postrider.inbound.verify.verifier.Verification.Invalid;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** The timestamp format of a scheme, and the allowed difference from now, in both directions. */
public record Freshness(Unit unit, Duration tolerance) {
  public static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  /** Sixteen digits hold every time that any provider sends, and leave sums room in a long. */
  private static final int MAX_DIGITS = 16;

  public enum Unit {
    SECONDS,
    MILLISECONDS,
    ISO_8601
  }

  /** Null when fresh. */
  public @Nullable Verification check(String name, String timestamp, long nowMs) {
    Long sentMs = parse(timestamp);
    if (sentMs == null) {
      return Verification.malformed(name + " is not a timestamp");
    }
    return Math.abs(nowMs - sentMs) > tolerance.toMillis() ? stale(name, nowMs - sentMs) : null;
  }

  private Verification stale(String name, long ageMs) {
    String age = Quantities.show(Duration.ofSeconds(Math.abs(ageMs) / 1000));
    return new Invalid(
        Reason.STALE,
        "%s is %s %s, more than the tolerance of %s; this is a replayed request or one of the clocks is wrong"
            .formatted(name, age, ageMs < 0 ? "ahead" : "old", Quantities.show(tolerance)));
  }

  private @Nullable Long parse(String timestamp) {
    return switch (unit) {
      case SECONDS -> digits(timestamp, 1_000);
      case MILLISECONDS -> digits(timestamp, 1);
      case ISO_8601 -> iso(timestamp);
    };
  }

  private static @Nullable Long digits(String text, long factor) {
    if (text.isEmpty()
        || text.length() > MAX_DIGITS - (factor == 1 ? 0 : 3)
        || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return null;
    }
    return Long.parseLong(text) * factor;
  }

  private static @Nullable Long iso(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant().toEpochMilli();
    } catch (DateTimeException | ArithmeticException _) {
      return null;
    }
  }
}
