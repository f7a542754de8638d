package dev.postrider.signature;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The Standard Webhooks signature over {@code id.timestamp.body}. */
public final class StandardWebhooks {
  public static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(5);

  /** Maximum number of signatures in one header that are checked: each costs time. */
  public static final int MAX_SIGNATURES = 16;

  private StandardWebhooks() {}

  /** The result of a verification; all but {@code VALID} reject the request. */
  public enum Verdict {
    VALID,
    MISSING_HEADER,
    MALFORMED_TIMESTAMP,
    TOO_OLD,
    TOO_NEW,
    NO_MATCHING_SIGNATURE
  }

  /** The three headers as received, absent ones as null. */
  public record Received(
      @Nullable String id, @Nullable String timestamp, @Nullable String signature) {}

  /** The signature header: one entry per key in the order given. */
  public static String sign(List<SigningKey> keys, String id, long timestampSeconds, byte[] body) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException(
          "secret: the endpoint has no active signing key; rotate the secret of the endpoint");
    }
    byte[] head = head(id, Long.toString(timestampSeconds));
    if (keys.size() == 1) {
      return entry(keys.getFirst(), head, body);
    }
    StringBuilder header = new StringBuilder(keys.size() * 96);
    for (SigningKey key : keys) {
      header.append(header.isEmpty() ? "" : " ").append(entry(key, head, body));
    }
    return header.toString();
  }

  /** Verifies the request with every key; the current time is given by the caller. */
  public static Verdict verify(
      List<? extends VerifyingKey> keys,
      Received received,
      byte[] body,
      long nowSeconds,
      Duration tolerance) {
    String id = received.id();
    String timestamp = received.timestamp();
    String signatures = received.signature();
    if (id == null || timestamp == null || signatures == null) {
      return Verdict.MISSING_HEADER;
    }
    Verdict time = checkTime(timestamp, nowSeconds, tolerance);
    if (time != Verdict.VALID) {
      return time;
    }
    return anyMatches(keys, head(id, timestamp), body, signatures)
        ? Verdict.VALID
        : Verdict.NO_MATCHING_SIGNATURE;
  }

  private static Verdict checkTime(String timestamp, long nowSeconds, Duration tolerance) {
    long sent;
    try {
      sent = Long.parseLong(timestamp);
    } catch (NumberFormatException _) {
      return Verdict.MALFORMED_TIMESTAMP;
    }
    if (sent < 0) {
      return Verdict.MALFORMED_TIMESTAMP;
    }
    long age = nowSeconds - sent;
    if (age > tolerance.toSeconds()) {
      return Verdict.TOO_OLD;
    }
    return age < -tolerance.toSeconds() ? Verdict.TOO_NEW : Verdict.VALID;
  }

  private static boolean anyMatches(
      List<? extends VerifyingKey> keys, byte[] head, byte[] body, String signatures) {
    for (String entry : signatures.split(" ", MAX_SIGNATURES + 1)) {
      int comma = entry.indexOf(',');
      byte[] signature = comma < 0 ? null : decoded(entry.substring(comma + 1));
      if (signature == null) {
        continue;
      }
      String version = entry.substring(0, comma);
      for (VerifyingKey key : keys) {
        if (key.version().equals(version) && key.verifies(head, body, signature)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Null for what is not base64, such as the uncut rest behind the last entry that counts. */
  private static byte @Nullable [] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private static String entry(SigningKey key, byte[] head, byte[] body) {
    return key.version() + ',' + Base64.getEncoder().encodeToString(key.sign(head, body));
  }

  private static byte[] head(String id, String timestamp) {
    return (id + '.' + timestamp + '.').getBytes(StandardCharsets.UTF_8);
  }
}
