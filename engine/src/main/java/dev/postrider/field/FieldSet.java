package dev.postrider.field;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * All fields of one type of object, such as endpoint or queue, in the order in which they are
 * written.
 */
public final class FieldSet implements Iterable<Field<?>> {
  private final List<Field<?>> fields;

  private FieldSet(List<Field<?>> fields) {
    this.fields = List.copyOf(fields);
    requireDifferent("name", this.fields.stream().map(Field::name));
    requireDifferent(
        "file name", this.fields.stream().flatMap(field -> Stream.ofNullable(field.fileName())));
    requireDifferent(
        "column", this.fields.stream().flatMap(field -> Stream.ofNullable(field.column())));
  }

  public static FieldSet of(Field<?>... fields) {
    return new FieldSet(Arrays.asList(fields));
  }

  private static void requireDifferent(String what, Stream<String> names) {
    Set<String> seen = new HashSet<>();
    names.forEach(
        name -> {
          if (!seen.add(name)) {
            throw new IllegalArgumentException("two fields have the " + what + " " + name);
          }
        });
  }

  /** Those that the configuration file has. */
  public List<Field<?>> inFile() {
    return fields.stream().filter(field -> field.fileName() != null).toList();
  }

  @Override
  public Iterator<Field<?>> iterator() {
    return fields.iterator();
  }

  public Stream<Field<?>> stream() {
    return fields.stream();
  }
}
