package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.verify.verifier.Freshness;
import dev.postrider.inbound.verify.verifier.HmacScheme;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verification.Invalid;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Verifies messages of AWS SNS, which signs some fields with a certificate whose URL is in the
 * message. Topics of every AWS customer have valid signatures, so the source must also list the
 * expected topics.
 */
public final class SnsVerifier implements Verifier {
  private static final List<String> NOTIFICATION =
      List.of("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type");
  private static final List<String> CONFIRMATION =
      List.of("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type");

  private final SnsCertificates certificates;
  private final List<String> topics;
  private final Freshness freshness;

  public SnsVerifier(SnsCertificates certificates, List<String> topics, Freshness freshness) {
    this.certificates = certificates;
    this.topics = topics;
    this.freshness = freshness;
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    JsonNode message = JsonBody.strictObject(request.body());
    if (message == null) {
      return Verification.malformed("the body is not a JSON object");
    }
    for (String field : List.of("Signature", "SigningCertURL", "SignatureVersion", "Timestamp")) {
      if (JsonBody.valueOrEmpty(message, field).isEmpty()) {
        return Verification.missing(field);
      }
    }
    if (!isListed(topics, message)) {
      return unlisted();
    }
    Verification stale =
        freshness.check("Timestamp", JsonBody.valueOrEmpty(message, "Timestamp"), nowMs);
    return stale == null ? checkSignature(message, nowMs) : stale;
  }

  static boolean isListed(List<String> topics, JsonNode message) {
    return topics.contains("*") || topics.contains(JsonBody.valueOrEmpty(message, "TopicArn"));
  }

  static Verification unlisted() {
    return Verification.untrusted("the TopicArn of the message is not listed in the option topics");
  }

  private Verification checkSignature(JsonNode message, long nowMs) {
    String algorithm =
        switch (JsonBody.valueOrEmpty(message, "SignatureVersion")) {
          case "1" -> "SHA1withRSA";
          case "2" -> "SHA256withRSA";
          default -> null;
        };
    String signed = signedText(message);
    byte[] signature =
        HmacScheme.Encoding.BASE64.decode(JsonBody.valueOrEmpty(message, "Signature"));
    if (algorithm == null || signed == null || signature == null) {
      return Verification.malformed(
          "Type, SignatureVersion or Signature is not a value that SNS sends");
    }
    URI url = SnsUrls.certificate(JsonBody.valueOrEmpty(message, "SigningCertURL"));
    if (url == null) {
      return Verification.untrusted("SigningCertURL is not a certificate URL of SNS");
    }
    return switch (certificates.key(url, nowMs)) {
      case SnsCertificates.Result.Unavailable(String text) -> new Invalid(Reason.UNAVAILABLE, text);
      case SnsCertificates.Result.Untrusted(String text) -> Verification.untrusted(text);
      case SnsCertificates.Result.Trusted(PublicKey key) ->
          verifies(algorithm, key, signed, signature)
              ? new Verification.Valid("aws-sns " + algorithm)
              : Verification.mismatch("Signature");
    };
  }

  /** Null for a type that SNS does not have. */
  private static @Nullable String signedText(JsonNode message) {
    List<String> fields =
        switch (JsonBody.valueOrEmpty(message, "Type")) {
          case "Notification" -> NOTIFICATION;
          case "SubscriptionConfirmation", "UnsubscribeConfirmation" -> CONFIRMATION;
          default -> null;
        };
    if (fields == null) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    for (String field : fields) {
      JsonNode value = message.get(field);
      if (value != null && value.isString()) { // only a Subject may be absent or null
        text.append(field).append('\n').append(value.stringValue()).append('\n');
      } else if (!field.equals("Subject")) {
        return null;
      }
    }
    return text.toString();
  }

  private static boolean verifies(
      String algorithm, PublicKey key, String signed, byte[] signature) {
    try {
      Signature check = Signature.getInstance(algorithm);
      check.initVerify(key);
      check.update(signed.getBytes(StandardCharsets.UTF_8));
      return check.verify(signature);
    } catch (SignatureException _) {
      return false; // not a signature at all
    } catch (GeneralSecurityException _) {
      return false; // the certificate's key is not an RSA key
    }
  }

  @Override
  public boolean needsSecret() {
    return false;
  }
}
