package dev.postrider.storage;

import dev.postrider.thread.TemporaryFault;

/**
 * The database is temporarily unavailable (connection lost, starting, disk full); the same call may
 * succeed later.
 */
public class DatabaseUnavailable extends RuntimeException implements TemporaryFault {
  public DatabaseUnavailable(String message, Throwable cause) {
    super(message, cause);
  }

  public DatabaseUnavailable(String message) {
    super(message);
  }
}
