package dev.postrider.file;

import java.util.List;

/** A section that this server reads but cannot apply: refused in words rather than ignored. */
record MissingPart(Kind kind, List<? extends Document.Entry> entries) implements Part {
  @Override
  public void gone(Draft draft) {}

  @Override
  public void wanted(Draft draft) {
    for (Document.Entry entry : entries) {
      draft.problem(
          entry,
          "this server cannot apply a %s yet; remove it from the file".formatted(kind.text()));
    }
  }
}
