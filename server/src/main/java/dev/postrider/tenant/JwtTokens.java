package dev.postrider.tenant;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Tokens of those who come from Svix's open server: signed with a shared secret, the environment
 * named by the token. They end by their own expiry only; whoever must revoke makes API keys.
 */
public final class JwtTokens {
  /** Beyond this many known environments all are looked up again. */
  static final int MAX_KNOWN = 10_000;

  /** Two clocks are rarely quite the same. */
  static final int LEEWAY_SECONDS = 30;

  private static final Pattern ORGANIZATION = Pattern.compile("org_[0-9A-Za-z]{1,64}");

  private final byte[] secret;
  private final EnvironmentStore environments;
  private final TimeSource time;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  public JwtTokens(String secret, EnvironmentStore environments, TimeSource time) {
    this.secret = secret.getBytes(StandardCharsets.UTF_8);
    this.environments = environments;
    this.time = time;
  }

  /** What the token stands for; null if it is none of ours, or not now. */
  @Nullable ApiKey authenticate(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return null;
    }
    JsonNode header = json(parts[0]);
    String algorithm = header == null ? null : algorithm(header.path("alg"));
    if (algorithm == null || !signed(algorithm, parts)) {
      return null;
    }
    JsonNode claims = json(parts[1]);
    return claims == null || !holdsNow(claims) ? null : caller(claims);
  }

  /** Only the shared-secret algorithms: a token must not choose that it needs no signature. */
  private static @Nullable String algorithm(JsonNode alg) {
    return switch (alg.isString() ? alg.stringValue() : "") {
      case "HS256" -> "HmacSHA256";
      case "HS384" -> "HmacSHA384";
      case "HS512" -> "HmacSHA512";
      default -> null;
    };
  }

  private boolean signed(String algorithm, String[] parts) {
    byte[] given = decode(parts[2]);
    try {
      Mac mac = Mac.getInstance(algorithm);
      mac.init(new SecretKeySpec(secret, algorithm));
      byte[] text = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
      return given != null && MessageDigest.isEqual(mac.doFinal(text), given);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + algorithm, e);
    }
  }

  private boolean holdsNow(JsonNode claims) {
    double now = time.nowMs() / 1000.0;
    JsonNode exp = claims.path("exp");
    JsonNode nbf = claims.path("nbf");
    boolean endsLater =
        exp.isMissingNode() || (exp.isNumber() && exp.doubleValue() + LEEWAY_SECONDS > now);
    boolean hasBegun =
        nbf.isMissingNode() || (nbf.isNumber() && nbf.doubleValue() - LEEWAY_SECONDS <= now);
    return endsLater && hasBegun;
  }

  private @Nullable ApiKey caller(JsonNode claims) {
    String subject = text(claims, "sub");
    if (ORGANIZATION.matcher(subject).matches()) {
      open(subject);
      return key(subject, null, null);
    }
    String organization = text(claims, "org");
    Id application = Id.parse(IdKind.APPLICATION, subject);
    boolean fits = application != null && ORGANIZATION.matcher(organization).matches();
    return fits ? key(organization, application, flags(claims)) : null;
  }

  /** An environment that nobody has seen before begins to exist. */
  private void open(String environmentId) {
    if (known.contains(environmentId)) {
      return;
    }
    environments.ensure(environmentId, environmentId);
    if (known.size() >= MAX_KNOWN) {
      known.clear();
    }
    known.add(environmentId);
  }

  /** Whose event types the application sees beside those without a flag. */
  private static Set<String> flags(JsonNode claims) {
    return claims
        .path("feature_flags")
        .valueStream()
        .filter(JsonNode::isString)
        .map(JsonNode::stringValue)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static ApiKey key(
      String environmentId, @Nullable Id applicationId, @Nullable Set<String> flags) {
    return new ApiKey(
        Id.ZERO,
        environmentId,
        applicationId,
        "jwt",
        "",
        ApiKey.Role.FULL,
        0,
        null,
        null,
        null,
        null,
        flags);
  }

  private static String text(JsonNode claims, String name) {
    JsonNode value = claims.path(name);
    return value.isString() ? value.stringValue() : "";
  }

  private static @Nullable JsonNode json(String part) {
    byte[] bytes = decode(part);
    try {
      JsonNode tree = bytes == null ? null : Json.MAPPER.readTree(bytes);
      return tree != null && tree.isObject() ? tree : null;
    } catch (JacksonException e) {
      return null;
    }
  }

  private static byte @Nullable [] decode(String part) {
    try {
      return Base64.getUrlDecoder().decode(part);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
