package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.verify.verifier.HmacScheme;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Verifies notifications of Microsoft Graph: each item of a batch must contain the subscription's
 * {@code clientState}.
 */
public final class GraphVerifier implements Verifier {
  static final int MAX_ITEMS = 1_000;

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    JsonNode body = JsonBody.strictObject(request.body());
    JsonNode items = body == null ? null : body.get("value");
    if (items == null || !items.isArray() || items.isEmpty() || items.size() > MAX_ITEMS) {
      return Verification.malformed("the body does not have an array named value");
    }
    for (JsonNode item : items) {
      String state = JsonBody.valueOrEmpty(item, "clientState");
      if (state.isEmpty()) {
        return Verification.missing("clientState");
      }
      byte[] bytes = state.getBytes(StandardCharsets.UTF_8);
      boolean known = false;
      for (SourceSecret secret : secrets) {
        known |= HmacScheme.same(secret.bytes(), bytes);
      }
      if (!known) {
        return Verification.mismatch("clientState");
      }
    }
    return new Verification.Valid("clientState");
  }
}
