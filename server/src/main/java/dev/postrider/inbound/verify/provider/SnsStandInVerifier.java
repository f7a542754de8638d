package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Accepts messages of a local stand-in for AWS SNS, which cannot sign as AWS does. Only the topic
 * is checked, so that a message for another source is noticed.
 */
public final class SnsStandInVerifier implements Verifier {
  private final List<String> topics;

  public SnsStandInVerifier(List<String> topics) {
    this.topics = List.copyOf(topics);
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    JsonNode message = JsonBody.strictObject(request.body());
    if (message == null || JsonBody.valueOrEmpty(message, "Type").isEmpty()) {
      return Verification.malformed("the body is not a message of SNS: a JSON object with Type");
    }
    return SnsVerifier.isListed(topics, message)
        ? new Verification.NotAsked()
        : SnsVerifier.unlisted();
  }

  @Override
  public boolean needsSecret() {
    return false;
  }
}
