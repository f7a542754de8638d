package dev.postrider.storage;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a statement fails permanently: because of a bug, a constraint or a wrong setup. A
 * retry does not help.
 */
public sealed class StorageException extends RuntimeException
    permits DataFolderInUse, SchemaMismatch {
  public StorageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
