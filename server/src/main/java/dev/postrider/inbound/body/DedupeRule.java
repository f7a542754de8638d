package dev.postrider.inbound.body;

import dev.postrider.inbound.request.Extractor;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.Sha256;
import dev.postrider.inbound.verify.Schemes;
import java.nio.charset.StandardCharsets;
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
    return key.length() > MAX_CHARACTERS ? Sha256.text(key.getBytes(StandardCharsets.UTF_8)) : key;
  }
}
