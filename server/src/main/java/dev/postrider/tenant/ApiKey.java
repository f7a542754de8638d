package dev.postrider.tenant;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an API key: never its text, only how it begins and its hash.
 *
 * @param applicationId the only application that it reaches; null means the whole environment
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
    @Nullable Long revokedAtMs) {

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
        default -> throw new IllegalArgumentException("no role has the code " + code);
      };
    }
  }

  public boolean worksAt(long nowMs) {
    return revokedAtMs == null && (expiresAtMs == null || nowMs < expiresAtMs);
  }
}
