package dev.postrider.inbound.body;

import dev.postrider.inbound.InboundRequest;
import dev.postrider.inbound.verify.Extractor;
import dev.postrider.inbound.verify.Schemes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Recognizes duplicates: two requests with the same key are one message. */
public final class DedupeRule {
  public static final int MAX_CHARACTERS = 200;

  private final Extractor extractor;

  private DedupeRule(Extractor extractor) {
    this.extractor = extractor;
  }

  /** By any extractor, such as an expression of the source's owner. */
  public static DedupeRule of(Extractor extractor) {
    return new DedupeRule(extractor);
  }

  /** Treats every request as new. */
  public static DedupeRule none() {
    return new DedupeRule(_ -> null);
  }

  /** The delivery id of the provider, or the unique attributes of a CloudEvent. */
  public static DedupeRule ofScheme(String scheme) {
    return new DedupeRule(Schemes.get(scheme).dedupe());
  }

  /** Null if the request is not deduplicated; a long key is returned as its hash. */
  public @Nullable String keyOf(InboundRequest request) {
    String key = extractor.extract(request);
    if (key == null || key.isBlank()) {
      return null;
    }
    return key.length() > MAX_CHARACTERS ? hash(key) : key;
  }

  /**
   * For requests that share their id: the text, and a hash of the body. Retries send the same
   * bytes.
   */
  public static Extractor withBody(Extractor extractor) {
    return request -> {
      String found = extractor.extract(request);
      return found == null ? null : found + " " + hash(request.body());
    };
  }

  private static String hash(String key) {
    return hash(key.getBytes(StandardCharsets.UTF_8));
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return "sha256:" + HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }
}
