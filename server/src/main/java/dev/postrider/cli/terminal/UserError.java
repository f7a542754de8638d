package dev.postrider.cli.terminal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** Thrown for an error that the user can fix; the message contains the fix. */
public final class UserError extends RuntimeException {
  public UserError(String message) {
    super(message);
  }

  /** A file, or stdin, that cannot be read. */
  public static UserError unreadable(String name, IOException why) {
    return new UserError(
        why instanceof NoSuchFileException
            ? "File not found: " + name + "."
            : "Cannot read " + name + ": " + why.getMessage());
  }
}
