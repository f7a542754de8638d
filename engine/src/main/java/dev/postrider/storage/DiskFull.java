package dev.postrider.storage;

/**
 * The database has no room to write; only someone who makes room heals that, so waiting callers are
 * better refused.
 */
public final class DiskFull extends DatabaseUnavailable {
  public DiskFull(String message, Throwable cause) {
    super(message, cause);
  }
}
