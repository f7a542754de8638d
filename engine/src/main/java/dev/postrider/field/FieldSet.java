package dev.postrider.field;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All fields of one type of object, such as endpoint or queue, in the order in which they are
 * written.
 */
public final class FieldSet implements Iterable<Field<?>> {
  private final List<Field<?>> fields;

  private FieldSet(List<Field<?>> fields) {
    this.fields = List.copyOf(fields);
    requireDifferent("name", this.fields.stream().flatMap(FieldSet::names));
    requireDifferent("file name", this.fields.stream().flatMap(FieldSet::fileNames));
    requireDifferent(
        "column", this.fields.stream().flatMap(field -> Stream.ofNullable(field.column())));
  }

  public static FieldSet of(Field<?>... fields) {
    return new FieldSet(Arrays.asList(fields));
  }

  private static Stream<String> names(Field<?> field) {
    return names(field.single(), field.name(), field.olderName());
  }

  private static Stream<String> fileNames(Field<?> field) {
    return names(field.singleInFile(), field.fileName(), null);
  }

  private static Stream<String> names(
      Field.@Nullable Single single, @Nullable String name, @Nullable String other) {
    return Stream.of(
            Stream.ofNullable(name),
            Stream.ofNullable(other),
            Stream.ofNullable(single).map(Field.Single::name))
        .flatMap(each -> each);
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

  /** Those that responses show and rows have. */
  public List<Field<?>> stored() {
    return fields.stream().filter(field -> !field.isWriteOnly()).toList();
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
