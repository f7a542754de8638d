package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.verifier.Verification.Invalid;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import dev.postrider.signature.StandardWebhooks;
import dev.postrider.signature.StandardWebhooks.Received;
import dev.postrider.signature.VerifyingKey;
import java.time.Duration;
import java.util.List;

/**
 * Verifies Standard Webhooks signatures ({@code v1} and {@code v1a}). Uses one set of header names
 * per request, the first whose signature header is present, so that two sets are never mixed.
 */
public final class StandardWebhooksVerifier implements Verifier {
  private final List<String> prefixes;
  private final Duration tolerance;

  public StandardWebhooksVerifier(List<String> prefixes, Duration tolerance) {
    this.prefixes = prefixes;
    this.tolerance = tolerance;
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    String prefix = prefixes.getFirst();
    for (String other : prefixes.reversed()) {
      prefix = request.header(other + "signature") == null ? prefix : other;
    }
    Received received =
        new Received(
            request.header(prefix + "id"),
            request.header(prefix + "timestamp"),
            request.header(prefix + "signature"));
    List<VerifyingKey> keys = secrets.stream().map(s -> VerifyingKey.parse(s.text())).toList();
    return switch (StandardWebhooks.verify(
        keys, received, request.body(), Math.floorDiv(nowMs, 1000), tolerance)) {
      case VALID -> new Verification.Valid("standard-webhooks " + prefix + "signature");
      case MISSING_HEADER ->
          Verification.missing("one of " + prefix + "id, -timestamp, -signature");
      case MALFORMED_TIMESTAMP -> Verification.malformed(prefix + "timestamp is not a timestamp");
      case TOO_OLD ->
          new Invalid(
              Reason.STALE, prefix + "timestamp is too old; this may be a replayed request");
      case TOO_NEW ->
          new Invalid(
              Reason.STALE, prefix + "timestamp is in the future; one of the clocks may be wrong");
      case NO_MATCHING_SIGNATURE -> Verification.mismatch(prefix + "signature");
    };
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    VerifyingKey.parse(secret.text());
  }
}
