package dev.postrider.inbound.source;

import dev.postrider.id.Id;
import dev.postrider.tenant.Environment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A source with a verification scheme, as stored; its secrets are not part of it.
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

  /**
   * A secret without its value: only what it is for and when it expires.
   *
   * @param eventTypes an event type or prefix, or {@link SecretChange#ALL_OTHERS}
   */
  public record SecretNote(
      Id id, String eventTypes, long createdAtMs, @Nullable Long expiresAtMs) {}

  public Source {
    secrets = List.copyOf(secrets);
  }

  /**
   * The part after {@code /in/} in its URL, unless it has a token: its name, after the environment
   * if that is not the default one.
   */
  public String key() {
    return environmentId.equals(Environment.DEFAULT_ID) ? form.name() : qualifiedKey();
  }

  /** The same with its environment in any case. */
  public String qualifiedKey() {
    return environmentId + "/" + form.name();
  }
}
