package dev.postrider.bench.load;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs a request to a source: HMAC-SHA256 over the body, in hexadecimal, written into the header
 * of the request.
 */
final class RequestSignature {
  static final int HEX_DIGITS = 64;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final Mac mac;
  private final int at;
  private final int bodyAt;

  private RequestSignature(Mac mac, int at, int bodyAt) {
    this.mac = mac;
    this.at = at;
    this.bodyAt = bodyAt;
  }

  /**
   * @param at where the signature stands in the request
   * @param bodyAt where its body begins
   */
  static RequestSignature of(String secret, int at, int bodyAt) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return new RequestSignature(mac, at, bodyAt);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  void write(byte[] request) {
    mac.update(request, bodyAt, request.length - bodyAt);
    byte[] digest = mac.doFinal();
    for (int i = 0; i < digest.length; i++) {
      request[at + 2 * i] = HEX[(digest[i] >> 4) & 15];
      request[at + 2 * i + 1] = HEX[digest[i] & 15];
    }
  }
}
