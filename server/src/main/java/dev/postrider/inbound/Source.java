package dev.postrider.inbound;

import dev.postrider.id.Id;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An inbound door with a verification scheme, as stored; its secrets are not part of it.
 *
 * @param hasToken reachable only by its secret URL
 */
public record Source(
    Id id,
    String environmentId,
    Id applicationId,
    SourceForm form,
    boolean hasToken,
    List<SecretNote> secrets,
    int version,
    long createdAtMs,
    long updatedAtMs) {

  /** That there is a secret, and until when. */
  public record SecretNote(Id id, long createdAtMs, @Nullable Long expiresAtMs) {}

  public Source {
    secrets = List.copyOf(secrets);
  }
}
