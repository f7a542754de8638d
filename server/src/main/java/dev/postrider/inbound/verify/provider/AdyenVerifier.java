package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.verify.verifier.HmacScheme;
import dev.postrider.inbound.verify.verifier.HmacScheme.Algorithm;
import dev.postrider.inbound.verify.verifier.HmacScheme.Encoding;
import dev.postrider.inbound.verify.verifier.HmacScheme.KeyForm;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Verifies requests of Adyen. Payment notifications have the signature in the body, over eight
 * fields joined by colons; the signature of every item must be valid. Newer platform webhooks sign
 * the whole body in the header {@code HmacSignature}. The key is in hexadecimal.
 */
public final class AdyenVerifier implements Verifier {
  /** Adyen sends one; its format allows several. */
  static final int MAX_ITEMS = 32;

  private static final String HEADER = "HmacSignature";

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    String header = request.header(HEADER);
    if (header != null) {
      return matches(header, request.body(), secrets)
          ? valid("body")
          : Verification.mismatch(HEADER);
    }
    JsonNode items = items(request.body());
    if (items == null || items.isEmpty() || items.size() > MAX_ITEMS) {
      return Verification.malformed(
          "the body has no notificationItems, and " + HEADER + " is missing");
    }
    for (JsonNode entry : items) {
      Verification problem = check(entry.get("NotificationRequestItem"), secrets);
      if (problem != null) {
        return problem;
      }
    }
    return valid("notificationItems");
  }

  private static @Nullable JsonNode items(byte[] body) {
    JsonNode tree = JsonBody.strictObject(body);
    JsonNode items = tree == null ? null : tree.get("notificationItems");
    return items == null || !items.isArray() ? null : items;
  }

  private static @Nullable Verification check(@Nullable JsonNode item, List<SourceSecret> secrets) {
    if (item == null || !item.isObject()) {
      return Verification.malformed("a notification item has no NotificationRequestItem");
    }
    String signature = JsonBody.valueOrEmpty(item.get("additionalData"), "hmacSignature");
    if (signature.isEmpty()) {
      return Verification.missing("additionalData.hmacSignature");
    }
    byte[] signed = signedText(item).getBytes(StandardCharsets.UTF_8);
    return matches(signature, signed, secrets)
        ? null
        : Verification.mismatch("additionalData.hmacSignature");
  }

  /** Colons and backslashes in values are not escaped, as in Adyen's own libraries. */
  private static String signedText(JsonNode item) {
    JsonNode amount = item.get("amount");
    return String.join(
        ":",
        JsonBody.valueOrEmpty(item, "pspReference"),
        JsonBody.valueOrEmpty(item, "originalReference"),
        JsonBody.valueOrEmpty(item, "merchantAccountCode"),
        JsonBody.valueOrEmpty(item, "merchantReference"),
        JsonBody.valueOrEmpty(amount, "value"),
        JsonBody.valueOrEmpty(amount, "currency"),
        JsonBody.valueOrEmpty(item, "eventCode"),
        JsonBody.valueOrEmpty(item, "success"));
  }

  private static boolean matches(String base64, byte[] signed, List<SourceSecret> secrets) {
    byte[] signature = Encoding.BASE64.decode(base64);
    boolean found = false;
    for (SourceSecret secret : secrets) {
      byte[] expected = Algorithm.SHA256.mac(KeyForm.HEX.key(secret), sink -> sink.accept(signed));
      found |= signature != null && HmacScheme.same(expected, signature);
    }
    return found;
  }

  private static Verification valid(String what) {
    return new Verification.Valid("adyen sha256 over " + what);
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    KeyForm.HEX.key(secret);
  }
}
