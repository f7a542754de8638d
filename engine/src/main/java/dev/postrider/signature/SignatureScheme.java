package dev.postrider.signature;

import dev.postrider.options.DeliveryOptions.SignatureHeaders;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The signature schemes: how the deliveries of an endpoint are signed. */
public sealed interface SignatureScheme {

  /** The default of endpoints. */
  static SignatureScheme byDefault() {
    return new Standard(SignatureHeaders.WEBHOOK);
  }

  /** The scheme of a column; null means the default. */
  static SignatureScheme of(@Nullable String encoded) {
    return encoded == null ? byDefault() : decode(encoded);
  }

  /** The headers to send, in order; the keys are the active ones, newest first. */
  List<SignatureHeader> headers(List<SigningKey> keys, Signable signable);

  /** Parses a secret for this scheme; throws with the field {@code secret}. */
  SigningKey parseKey(String text);

  /** Why the text is not a secret for this scheme, without the name of the field; null if it is. */
  default @Nullable String keyProblem(String text) {
    try {
      var _ = parseKey(text);
      return null;
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage()).replaceFirst("^secret: ", "");
    }
  }

  /** Whether it has only HMAC signatures, so that an Ed25519 key cannot be used. */
  default boolean needsSharedSecret() {
    return false;
  }

  default boolean canSignWith(SigningKey key) {
    return key instanceof HmacKey || !needsSharedSecret();
  }

  /** One line of JSON for one column. */
  default String encode() {
    return SchemeJson.encode(this);
  }

  static SignatureScheme decode(String json) {
    return SchemeJson.decode(json);
  }

  /** Standard Webhooks, with the spelling of its three headers. */
  record Standard(SignatureHeaders headers) implements SignatureScheme {
    private List<String> prefixes() {
      return switch (headers) {
        case WEBHOOK -> List.of("webhook-");
        case SVIX -> List.of("svix-");
        case BOTH -> List.of("webhook-", "svix-");
      };
    }

    @Override
    public List<SignatureHeader> headers(List<SigningKey> keys, Signable signable) {
      String signature =
          StandardWebhooks.sign(
              keys, signable.messageId(), signable.timestampSeconds(), signable.body());
      String timestamp = Long.toString(signable.timestampSeconds());
      List<SignatureHeader> all = new ArrayList<>(6);
      for (String prefix : prefixes()) {
        all.add(new SignatureHeader(prefix.concat("id"), signable.messageId()));
        all.add(new SignatureHeader(prefix.concat("timestamp"), timestamp));
        all.add(new SignatureHeader(prefix.concat("signature"), signature));
      }
      return all;
    }

    @Override
    public SigningKey parseKey(String text) {
      return SigningKey.parse(text);
    }
  }

  /**
   * {@code header: sha256=<hex of HMAC-SHA256 over the body>}, with the event type, delivery id and
   * time in unsigned headers of their own where they are named.
   */
  record Sha256Hex(
      String header,
      @Nullable String eventHeader,
      @Nullable String deliveryIdHeader,
      @Nullable String timestampHeader)
      implements SignatureScheme {

    public Sha256Hex {
      HeaderName.check("header", header);
      HeaderName.checkIfPresent("eventHeader", eventHeader);
      HeaderName.checkIfPresent("deliveryIdHeader", deliveryIdHeader);
      HeaderName.checkIfPresent("timestampHeader", timestampHeader);
      HeaderName.checkDistinct(
          Stream.of(header, eventHeader, deliveryIdHeader, timestampHeader)
              .filter(Objects::nonNull)
              .toList());
    }

    @Override
    public List<SignatureHeader> headers(List<SigningKey> keys, Signable signable) {
      List<SignatureHeader> all = new ArrayList<>(4);
      String hex = HexFormat.of().formatHex(newest(keys).asShown().sign(signable.body()));
      all.add(new SignatureHeader(header, "sha256=" + hex));
      add(all, eventHeader, signable.eventType());
      add(all, deliveryIdHeader, signable.deliveryId());
      add(all, timestampHeader, Long.toString(signable.timestampSeconds()));
      return all;
    }

    @Override
    public SigningKey parseKey(String text) {
      return HmacKey.raw(text);
    }

    @Override
    public boolean needsSharedSecret() {
      return true;
    }

    /** The format allows one signature, so during a rotation the newest secret is used at once. */
    private static HmacKey newest(List<SigningKey> keys) {
      for (SigningKey key : keys) {
        if (key instanceof HmacKey hmac) {
          return hmac;
        }
      }
      throw new IllegalArgumentException(
          "secret: the sha256= scheme needs a shared secret, and no active key of the endpoint"
              + " is one; rotate the secret of the endpoint");
    }

    private static void add(List<SignatureHeader> all, @Nullable String name, String value) {
      if (name != null) {
        all.add(new SignatureHeader(name, value));
      }
    }
  }

  /** Unsigned: for receivers that trust the network or an {@code Authorization} header instead. */
  record None() implements SignatureScheme {
    @Override
    public List<SignatureHeader> headers(List<SigningKey> keys, Signable signable) {
      return List.of();
    }

    @Override
    public SigningKey parseKey(String text) {
      return SigningKey.parse(text);
    }
  }
}
