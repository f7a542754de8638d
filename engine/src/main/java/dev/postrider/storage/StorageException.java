package dev.postrider.storage;

import org.jspecify.annotations.Nullable;

/** A statement failed permanently: a bug, a constraint, a wrong setup. */
public sealed class StorageException extends RuntimeException permits SchemaMismatch {
  public StorageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
