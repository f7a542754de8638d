package dev.postrider.workflow.definition;

import dev.postrider.field.Field;
import java.util.ArrayList;
import java.util.List;

/** Where in a definition something is, in the notation of the file and in that of the API. */
public final class Place {
  /** The whole definition. */
  public static final Place ROOT = new Place(List.of());

  /** Fields, indexes of lists, and names. */
  private final List<Object> parts;

  private Place(List<Object> parts) {
    this.parts = parts;
  }

  public Place at(Field<?> field) {
    return plus(field);
  }

  /** An item of a list. */
  public Place at(int index) {
    return plus(index);
  }

  /** A name that the caller chose. */
  public Place at(String name) {
    return plus(name);
  }

  private Place plus(Object part) {
    List<Object> more = new ArrayList<>(parts);
    more.add(part);
    return new Place(List.copyOf(more));
  }

  /** Such as {@code steps[2].catch[0].next}; empty for the whole definition. */
  public String inFile() {
    StringBuilder path = new StringBuilder();
    for (Object part : parts) {
      if (part instanceof Integer index) {
        path.append('[').append(index).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".")
            .append(part instanceof Field<?> field ? StepFields.inFile(field) : part);
      }
    }
    return path.toString();
  }

  /** Such as {@code steps, 2, catch, 0, next}. */
  public List<String> inApi() {
    return parts.stream()
        .map(part -> part instanceof Field<?> field ? field.name() : String.valueOf(part))
        .toList();
  }

  @Override
  public String toString() {
    return inFile();
  }
}
