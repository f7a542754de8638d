package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import java.util.List;

/**
 * Verifies providers whose timestamp is a field of the signed body, such as Linear's {@code
 * webhookTimestamp}.
 */
public record BodyTimeVerifier(Verifier signed, String field, Freshness freshness)
    implements Verifier {

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    Verification verification = signed.verify(request, secrets, nowMs);
    if (!(verification instanceof Verification.Valid)) {
      return verification;
    }
    String timestamp = JsonBody.text(request.body(), field);
    if (timestamp == null) {
      return Verification.malformed("the body has no " + field);
    }
    Verification stale = freshness.check(field, timestamp, nowMs);
    return stale == null ? verification : stale;
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    signed.checkSecret(secret);
  }
}
