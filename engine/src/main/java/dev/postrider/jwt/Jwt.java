package dev.postrider.jwt;

import dev.postrider.json.Json;
import java.security.PublicKey;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;

/**
 * A token in the form {@code header.claims.signature}. Nothing in it can be trusted before one of
 * {@link #isSignedWith} is true.
 */
public final class Jwt {
  /** Algorithms with a shared secret. */
  public static final Set<String> SHARED = Set.of("HS256", "HS384", "HS512");

  /** Algorithms with a public key. */
  public static final Set<String> PUBLIC =
      Set.of("RS256", "RS384", "RS512", "ES256", "ES384", "ES512");

  public static final int MAX_CHARACTERS = 16_384;

  private final String algorithm;
  private final JsonNode claims;

  /** Null if the algorithm is none of ours. */
  private final @Nullable Jws jws;

  private Jwt(String algorithm, JsonNode claims, @Nullable Jws jws) {
    this.algorithm = algorithm;
    this.claims = claims;
    this.jws = jws;
  }

  /**
   * Null if the text is not a token: not three parts of base64url, not JSON objects, a name that
   * comes twice, or a {@code crit} header, whose extensions would have to be understood. The
   * library is more lenient: it skips characters that are not base64url, takes the last of two
   * equal names inside an object, and accepts an empty {@code crit}.
   */
  public static @Nullable Jwt parse(String text) {
    String[] parts = text.length() > MAX_CHARACTERS ? new String[0] : text.split("\\.", 4);
    if (parts.length != 3) {
      return null;
    }
    JsonNode header = object(parts[0]);
    JsonNode claims = object(parts[1]);
    if (header == null || claims == null || decode(parts[2]) == null || header.has("crit")) {
      return null;
    }
    String algorithm = text(header, "alg");
    if (!SHARED.contains(algorithm) && !PUBLIC.contains(algorithm)) {
      return new Jwt(algorithm, claims, null);
    }
    Jws jws = Jws.parse(text);
    return jws == null ? null : new Jwt(algorithm, claims, jws);
  }

  private static @Nullable JsonNode object(String part) {
    byte[] bytes = decode(part);
    try {
      JsonNode tree =
          bytes == null
              ? null
              : Json.MAPPER
                  .reader()
                  .with(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .readTree(bytes);
      return tree != null && tree.isObject() ? tree : null;
    } catch (JacksonException _) {
      return null;
    }
  }

  private static byte @Nullable [] decode(String part) {
    try {
      return part.indexOf('=') >= 0 ? null : Base64.getUrlDecoder().decode(part);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private static String text(JsonNode object, String name) {
    JsonNode value = object.path(name);
    return value.isString() ? value.stringValue() : "";
  }

  /** The algorithm in the header; empty if there is none. */
  public String algorithm() {
    return algorithm;
  }

  /** The text of the claim; empty if there is none. */
  public String text(String claim) {
    return text(claims, claim);
  }

  /** The texts of a claim that is one text or a list of them. */
  public List<String> texts(String claim) {
    JsonNode value = claims.path(claim);
    Stream<JsonNode> all = value.isArray() ? value.valueStream() : Stream.of(value);
    return all.filter(JsonNode::isString).map(JsonNode::stringValue).toList();
  }

  /** Whether a shared secret made the signature; false for an algorithm with public keys. */
  public boolean isSignedWith(byte[] secret) {
    return jws != null
        && SHARED.contains(algorithm)
        && secret.length > 0
        && jws.isSignedWith(secret);
  }

  /** Whether the key's owner made the signature; false for an algorithm with shared secrets. */
  public boolean isSignedWith(PublicKey key) {
    return jws != null && PUBLIC.contains(algorithm) && jws.isSignedWith(key);
  }

  /** The result of checking {@code exp} and {@code nbf}. */
  public enum Validity {
    VALID,
    /** {@code exp} is missing, or one of the two is not a number. */
    MALFORMED,
    EXPIRED,
    NOT_YET
  }

  public Validity validity(long nowMs, Duration leeway, boolean requireExpiry) {
    JsonNode exp = claims.get("exp");
    JsonNode nbf = claims.get("nbf");
    if ((exp == null && requireExpiry) || isNotNumber(exp) || isNotNumber(nbf)) {
      return Validity.MALFORMED;
    }
    double now = nowMs / 1000.0;
    if (exp != null && now >= exp.doubleValue() + leeway.toSeconds()) {
      return Validity.EXPIRED;
    }
    return nbf != null && now < nbf.doubleValue() - leeway.toSeconds()
        ? Validity.NOT_YET
        : Validity.VALID;
  }

  /** The expiry time in {@code exp}; null if there is none. */
  public @Nullable Long expiresAtMs() {
    JsonNode exp = claims.get("exp");
    return exp == null ? null : Long.valueOf((long) (exp.doubleValue() * 1000));
  }

  private static boolean isNotNumber(@Nullable JsonNode claim) {
    return claim != null && !claim.isNumber();
  }
}
