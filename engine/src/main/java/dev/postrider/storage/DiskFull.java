package dev.postrider.storage;

/**
 * Thrown when the disk of the database is full. An operator must free space, so waiting callers are
 * rejected instead of retried.
 */
public final class DiskFull extends DatabaseUnavailable {
  public DiskFull(String message, Throwable cause) {
    super(message, cause);
  }
}
