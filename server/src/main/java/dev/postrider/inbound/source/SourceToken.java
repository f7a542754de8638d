package dev.postrider.inbound.source;

import dev.postrider.inbound.request.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;

/** The token that makes the URL of a source secret. */
public record SourceToken(String text) {
  public static final String PREFIX = "in_";
  private static final int BYTES = 24;

  public static SourceToken generate(SecureRandom random) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    return new SourceToken(PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
  }

  public byte[] hash() {
    return Sha256.of(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return "SourceToken";
  }
}
