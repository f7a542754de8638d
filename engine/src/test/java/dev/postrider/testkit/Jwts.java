package dev.postrider.testkit;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Tokens as Svix's open server makes them. */
public final class Jwts {
  public static final String SECRET = "a-secret-of-some-length";

  private Jwts() {}

  /** Signed with HS256, and valid for long. */
  public static String hs256(String claims) {
    String lasting = claims.substring(0, claims.length() - 1) + ",\"exp\":4102444800}";
    return signed("{\"typ\":\"JWT\",\"alg\":\"HS256\"}", lasting);
  }

  /** Exactly that header and those claims, signed with HMAC-SHA256. */
  public static String signed(String header, String claims) {
    String text = encode(header) + "." + encode(claims);
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      byte[] signature = mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
      return text + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String encode(String json) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }
}
