package dev.postrider.tenant.key;

import dev.postrider.id.ApiKeyId;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stored API key: never its text, only its prefix and its hash.
 *
 * @param applicationId the application that it is limited to; null means the whole environment
 * @param capabilities the permissions of a portal token; null for any other key
 * @param featureFlags the feature flags of a portal token or of a JWT of an application; null for
 *     any other key
 */
public record ApiKey(
    ApiKeyId id,
    String environmentId,
    @Nullable ApplicationId applicationId,
    String name,
    String prefix,
    Role role,
    Instant createdAt,
    @Nullable Instant expiresAt,
    @Nullable Instant lastUsedAt,
    @Nullable Instant revokedAt,
    @Nullable Set<Capability> capabilities,
    @Nullable Set<String> featureFlags) {

  static final String COMMAND_LINE = "command line";

  /** The role of a key. The code is stored in the row. */
  public enum Role {
    FULL(0),
    READ_ONLY(1);

    private final int code;

    Role(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }

    static Role of(int code) {
      return switch (code) {
        case 0 -> FULL;
        case 1 -> READ_ONLY;
        default -> throw new IllegalArgumentException("unknown role code " + code);
      };
    }
  }

  /** Whether the key has a row; a JWT or a token of the command line has none. */
  public boolean isStored() {
    return !id.value().equals(Id.ZERO);
  }

  /** Whether it is a token of the command line on the machine of the server. */
  public boolean isCommandLine() {
    return !isStored() && name.equals(COMMAND_LINE);
  }

  public boolean worksAt(Instant now) {
    return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
  }
}
