package dev.postrider.tenant.key;

import dev.postrider.id.ApiKeyId;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.jwt.Jwt;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * JWTs of users that migrate from self-hosted Svix: signed with a shared secret, with the
 * environment in the token. They are only limited by their expiry; to be able to revoke access, use
 * API keys.
 */
public final class JwtTokens {
  /** Beyond this many cached environments all are looked up again. */
  static final int MAX_KNOWN = 10_000;

  /** Allowed clock difference. */
  static final Duration LEEWAY = Duration.ofSeconds(30);

  private static final Pattern ORGANIZATION = Pattern.compile("org_[0-9A-Za-z]{1,64}");

  private final byte[] secret;
  private final boolean requireExpiry;
  private final EnvironmentStore environments;
  private final TimeSource time;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /**
   * @param requireExpiry reject tokens without {@code exp}
   */
  public JwtTokens(
      String secret, boolean requireExpiry, EnvironmentStore environments, TimeSource time) {
    this.secret = secret.getBytes(StandardCharsets.UTF_8);
    this.requireExpiry = requireExpiry;
    this.environments = environments;
    this.time = time;
  }

  /** Whether a client sent the secret itself instead of a token that is signed with it. */
  boolean isSecret(String token) {
    return MessageDigest.isEqual(secret, token.getBytes(StandardCharsets.UTF_8));
  }

  /** The key of the token; null if it is not a valid token of ours. */
  @Nullable ApiKey authenticate(String token) {
    Jwt jwt = Jwt.parse(token);
    return jwt != null
            && jwt.isSignedWith(secret)
            && jwt.validity(time.nowMs(), LEEWAY, requireExpiry) == Jwt.Validity.VALID
        ? caller(jwt)
        : null;
  }

  private @Nullable ApiKey caller(Jwt jwt) {
    String subject = jwt.text("sub");
    if (ORGANIZATION.matcher(subject).matches()) {
      open(subject);
      return key(jwt, subject, null, null);
    }
    String organization = jwt.text("org");
    ApplicationId application = ApplicationId.parse(subject);
    boolean fits = application != null && ORGANIZATION.matcher(organization).matches();
    return fits
        ? key(jwt, organization, application, Set.copyOf(jwt.texts("feature_flags")))
        : null;
  }

  /** An unknown environment is created. */
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

  private static ApiKey key(
      Jwt jwt,
      String environmentId,
      @Nullable ApplicationId applicationId,
      @Nullable Set<String> flags) {
    Long expires = jwt.expiresAtMs();
    return new ApiKey(
        new ApiKeyId(Id.ZERO),
        environmentId,
        applicationId,
        "jwt",
        "",
        ApiKey.Role.FULL,
        Instant.EPOCH,
        expires == null ? null : Instant.ofEpochMilli(expires),
        null,
        null,
        null,
        flags);
  }
}
