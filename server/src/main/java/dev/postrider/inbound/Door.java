package dev.postrider.inbound;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A source ready for requests: everything that can be parsed, compiled or opened has been. */
record Door(
    Source source,
    Verifier verifier,
    List<Handshake> handshakes,
    UnaryOperator<InboundRequest> unwrapping,
    EventTypeRule eventType,
    DedupeRule dedupe,
    @Nullable BodySchema schema,
    List<Network> allowed,
    SecretHeaders secretHeaders,
    List<Live> secrets,
    @Nullable CronSchedule cron) {

  /** A secret, and until when it counts. */
  record Live(SourceSecret secret, @Nullable Long expiresAtMs) {}

  /** Newest first. */
  List<SourceSecret> liveSecrets(long nowMs) {
    return secrets.stream()
        .filter(live -> live.expiresAtMs() == null || live.expiresAtMs() > nowMs)
        .map(Live::secret)
        .toList();
  }

  /** Which headers are never stored: they may carry what proves an identity. */
  record SecretHeaders(Set<String> named) {
    private static final List<String> SPEAKING =
        List.of(
            "authorization",
            "cookie",
            "secret",
            "password",
            "passwd",
            "credential",
            "token",
            "api-key",
            "apikey",
            "access-key",
            "auth-key",
            "subscription-key",
            "functions-key");

    /** Ids that only sound like a secret. */
    private static final Set<String> HARMLESS = Set.of("i-twilio-idempotency-token");

    boolean has(String name) {
      String lower = name.toLowerCase(Locale.ROOT);
      return named.contains(lower)
          || (!HARMLESS.contains(lower) && SPEAKING.stream().anyMatch(lower::contains));
    }
  }
}
