package dev.postrider.net;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides by their names which HTTP headers may carry a secret: custom headers of endpoints, and
 * headers of received requests. Names are compared in lower case.
 */
public final class HeaderNames {

  /** Their values are never secret. */
  private static final Set<String> HARMLESS =
      Set.of(
          "accept",
          "accept-language",
          "cache-control",
          "content-language",
          "content-type",
          "user-agent",
          "x-correlation-id",
          "x-environment",
          "x-request-id");

  /**
   * Ids and event types of providers and attributes of CloudEvents whose names only sound secret.
   */
  private static final Set<String> NOT_SECRET =
      Set.of(
          "ce-authid",
          "ce-authtype",
          "ce-partitionkey",
          "i-twilio-idempotency-token",
          "idempotency-key",
          "x-event-key",
          "x-idempotency-key",
          "x-partition-key",
          "x-routing-key");

  /**
   * Parts of names. The name of an author or an authority is not an authorization. A signature is
   * absent on purpose: it proves one request only, and the receiver of a forwarded request needs
   * it.
   */
  private static final Pattern SECRET_PART =
      Pattern.compile(
          "auth(?!or(?!i[sz]))|bearer|cookie|credential|csrf|jwt|key|pass|pwd|secret|session|token|xsrf");

  /** Short words that would occur by chance within others. */
  private static final Pattern SECRET_WORD =
      Pattern.compile("(?<![a-z0-9])(?:jwe|jws|otp|pin|pw|sid)(?![a-z0-9])");

  /**
   * The key, among the stored headers of a message, of the names that every endpoint gets, in lower
   * case and separated by commas. Not a header name: a colon ends one.
   */
  public static final String FORWARDED = ":forward";

  private HeaderNames() {}

  /** Whether its value is never secret, no matter who set it. */
  public static boolean isHarmless(String name) {
    return HARMLESS.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Whether a header of a received request may carry a secret. */
  public static boolean soundsSecret(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return !HARMLESS.contains(lower)
        && !NOT_SECRET.contains(lower)
        && (SECRET_PART.matcher(lower).find() || SECRET_WORD.matcher(lower).find());
  }
}
