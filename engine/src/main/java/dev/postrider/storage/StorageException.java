package dev.postrider.storage;

import org.jspecify.annotations.Nullable;

/**
 * A statement failed for a reason that waiting does not heal: a bug, a constraint, a wrong set-up.
 */
public sealed class StorageException extends RuntimeException permits SchemaMismatch {
  public StorageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
