package dev.postrider.storage;

/**
 * The disk of the database is full; an operator must free space, so waiting callers are better
 * rejected.
 */
public final class DiskFull extends DatabaseUnavailable {
  public DiskFull(String message, Throwable cause) {
    super(message, cause);
  }
}
