package dev.postrider.storage;

/**
 * The database cannot be used just now (connection lost, starting, disk full); the same call may
 * succeed later.
 */
public class DatabaseAway extends RuntimeException {
  public DatabaseAway(String message, Throwable cause) {
    super(message, cause);
  }

  public DatabaseAway(String message) {
    super(message);
  }
}
