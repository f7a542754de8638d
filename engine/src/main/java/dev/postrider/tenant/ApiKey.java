package dev.postrider.tenant;

import dev.postrider.id.Id;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an API key: never its text, only how it begins and its hash.
 *
 * @param applicationId the only application that it reaches; null means the whole environment
 * @param capabilities what a portal's token may do; null for any other key
 * @param featureFlags whose event types a portal's token or an application's JWT sees; null for any
 *     other key
 */
public record ApiKey(
    Id id,
    String environmentId,
    @Nullable Id applicationId,
    String name,
    String prefix,
    Role role,
    long createdAtMs,
    @Nullable Long expiresAtMs,
    @Nullable Long lastUsedAtMs,
    @Nullable Long revokedAtMs,
    @Nullable Set<Capability> capabilities,
    @Nullable Set<String> featureFlags) {

  /** A key that no portal was given. */
  public ApiKey(
      Id id,
      String environmentId,
      @Nullable Id applicationId,
      String name,
      String prefix,
      Role role,
      long createdAtMs,
      @Nullable Long expiresAtMs,
      @Nullable Long lastUsedAtMs,
      @Nullable Long revokedAtMs) {
    this(
        id,
        environmentId,
        applicationId,
        name,
        prefix,
        role,
        createdAtMs,
        expiresAtMs,
        lastUsedAtMs,
        revokedAtMs,
        null,
        null);
  }

  /** What the holder may do. The code is what the row stores. */
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
    return !id.equals(Id.ZERO);
  }

  public boolean worksAt(long nowMs) {
    return revokedAtMs == null && (expiresAtMs == null || nowMs < expiresAtMs);
  }
}
