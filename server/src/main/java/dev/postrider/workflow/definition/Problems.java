package dev.postrider.workflow.definition;

import dev.postrider.field.Field;

/** Collects what is wrong with a definition, so that all of it is reported at once. */
public interface Problems {
  /** A definition with this is rejected. */
  void add(Place place, String text);

  /** What may be meant, but probably is not. */
  void warn(Place place, String text);

  /** Whether something is known to be wrong with what is at this place, or in it. */
  boolean isAbout(Place place);

  /** How the caller spells a field. */
  String name(Field<?> field);
}
