package dev.postrider.inbound.verify.provider;

import dev.postrider.expression.FormBytes;
import dev.postrider.inbound.request.FormFields;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.request.MultipartFields;
import dev.postrider.inbound.verify.verifier.Freshness;
import dev.postrider.inbound.verify.verifier.HmacScheme;
import dev.postrider.inbound.verify.verifier.HmacScheme.Algorithm;
import dev.postrider.inbound.verify.verifier.HmacScheme.Encoding;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Verifies requests of Mailgun, which signs {@code timestamp + token} from the {@code signature}
 * object of the body, or from form fields. The rest of the body is not signed, so each token must
 * be accepted only once; the dedupe rule ensures it.
 */
public record MailgunVerifier(Freshness freshness) implements Verifier {
  private record Signed(String timestamp, String token, String signature) {}

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    Signed signed = signed(request);
    if (signed == null) {
      return Verification.malformed("the body is neither JSON nor a form");
    }
    if (signed.timestamp.isEmpty() || signed.token.isEmpty() || signed.signature.isEmpty()) {
      return Verification.missing("one of signature.timestamp, .token, .signature");
    }
    Verification stale = freshness.check("signature.timestamp", signed.timestamp, nowMs);
    if (stale != null) {
      return stale;
    }
    byte[] signature = Encoding.HEX.decode(signed.signature);
    byte[] text = (signed.timestamp + signed.token).getBytes(StandardCharsets.UTF_8);
    for (SourceSecret secret : secrets) {
      byte[] expected = Algorithm.SHA256.mac(secret.bytes(), sink -> sink.accept(text));
      if (signature != null && HmacScheme.same(expected, signature)) {
        return new Verification.Valid("mailgun sha256 over timestamp and token");
      }
    }
    return Verification.mismatch("signature.signature");
  }

  private static @Nullable Signed signed(InboundRequest request) {
    if (request.mediaType().equals(FormBytes.MEDIA_TYPE)) {
      FormFields form = FormFields.of(request);
      return form == null ? null : signed(form::first);
    }
    if (request.mediaType().equals(MultipartFields.MEDIA_TYPE)) {
      MultipartFields parts = MultipartFields.parse(request);
      return parts == null ? null : signed(parts::first);
    }
    JsonNode body = JsonBody.strictObject(request.body());
    if (body == null) {
      return null;
    }
    JsonNode signature = body.get("signature");
    return new Signed(
        JsonBody.valueOrEmpty(signature, "timestamp"),
        JsonBody.valueOrEmpty(signature, "token"),
        JsonBody.valueOrEmpty(signature, "signature"));
  }

  private static Signed signed(Function<String, @Nullable String> fields) {
    return new Signed(
        orEmpty(fields.apply("timestamp")),
        orEmpty(fields.apply("token")),
        orEmpty(fields.apply("signature")));
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
