package dev.postrider.engine;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;

/** Parses the text form of ids. */
final class IdText {
  private IdText() {}

  static Id id(IdKind kind, String text) {
    Id id = Id.parse(kind, text);
    if (id == null) {
      throw new IllegalArgumentException(
          "\"%s\" is not a valid id: it must start with %s".formatted(text, kind.prefix()));
    }
    return id;
  }
}
