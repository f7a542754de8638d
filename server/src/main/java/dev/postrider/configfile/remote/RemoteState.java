package dev.postrider.configfile.remote;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The state of the remote configuration file on an instance.
 *
 * @param version of the file that is in use; null if nothing was applied yet
 * @param checkedAtMs when the URL was last requested; null if it was not
 * @param appliedAtMs when the version was applied
 * @param detail what is wrong, for the operator; null if nothing is
 */
public record RemoteState(
    String location,
    Health health,
    @Nullable String version,
    @Nullable Long checkedAtMs,
    @Nullable Long appliedAtMs,
    @Nullable String detail) {

  /** Whether the newest version is in use. */
  public enum Health {
    CURRENT,
    /** The file could not be fetched. */
    UNREACHABLE,
    /** The newest version is not valid, or could not be applied. */
    REJECTED;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  RemoteState checked(Health now, long atMs, @Nullable String problem) {
    return new RemoteState(location, now, version, atMs, appliedAtMs, problem);
  }

  RemoteState using(String other, long sinceMs) {
    return new RemoteState(location, health, other, checkedAtMs, sinceMs, detail);
  }
}
