package dev.postrider.cli;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** Something that the user can mend; the message says how. */
public final class UserError extends RuntimeException {
  public UserError(String message) {
    super(message);
  }

  /** A file, or stdin, that cannot be read. */
  public static UserError unreadable(String name, IOException why) {
    return new UserError(
        why instanceof NoSuchFileException
            ? "There is no file " + name + "."
            : "Cannot read " + name + ": " + why.getMessage());
  }
}
