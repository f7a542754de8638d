package dev.postrider.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Facts that clients depend on, one per line, in a file of {@code src/test/resources}. A
 * refactoring must leave the file as it is; a change of the interface shows as a diff of it.
 */
public final class Snapshot {
  private static final String PROPERTY = "wire.snapshot";

  private Snapshot() {}

  /** Whether the files are to be written, not compared. */
  public static boolean isWriting() {
    return "write".equals(System.getProperty(PROPERTY));
  }

  /**
   * Fails with a diff if these are not the facts of the file.
   *
   * @param test the class that writes the file
   */
  public static void check(String file, Class<?> test, Collection<String> facts) {
    // Tests run in the module's folder.
    Path path = Path.of("src", "test", "resources", file);
    String write =
        "mvn -pl server test -Dtest=" + test.getSimpleName() + " -D" + PROPERTY + "=write";
    TreeSet<String> seen = new TreeSet<>(facts);
    try {
      if (isWriting()) {
        Files.writeString(path, "# Generated: " + write + "\n" + String.join("\n", seen) + "\n");
        return;
      }
      List<String> diff = diff(Files.readAllLines(path), seen);
      if (!diff.isEmpty()) {
        throw new AssertionError(
            "%s: %d lines differ (- in the file, + seen now):%n%s%nIf this change is intended, write the file again and commit it:%n  %s"
                .formatted(path, diff.size(), String.join("\n", diff), write));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In the order of the lines, so that the two forms of a changed line are next to each other. */
  private static List<String> diff(List<String> lines, TreeSet<String> seen) {
    TreeSet<String> expected = new TreeSet<>(lines);
    expected.removeIf(line -> line.startsWith("#"));
    TreeSet<String> all = new TreeSet<>(expected);
    all.addAll(seen);
    return all.stream()
        .filter(line -> !expected.contains(line) || !seen.contains(line))
        .map(line -> (expected.contains(line) ? "- " : "+ ") + line)
        .toList();
  }
}
