package dev.postrider.configfile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Gathers what is wrong, so that all of it is told at once. */
final class FileProblems {
  /** Beyond this many the rest would only bury the first. */
  static final int MAX = 200;

  private final List<FileProblem> found = new ArrayList<>();
  private final Set<FileProblem> places = new HashSet<>();
  private final Set<String> keys = new HashSet<>();
  private int count;

  /** Only the first about a value is told: a variable that is not set also makes an empty text. */
  void add(FilePosition place, String key, String text) {
    count++;
    keys.add(key);
    boolean first = place.line() == 0 || places.add(new FileProblem(place, key, ""));
    if (first && found.size() < MAX) {
      found.add(new FileProblem(place, key, text));
    }
  }

  /** Whether something is wrong with the value of this key, or with a part of it. */
  boolean isAbout(String key) {
    return keys.stream()
        .anyMatch(bad -> bad.equals(key) || bad.startsWith(key + ".") || bad.startsWith(key + "["));
  }

  /** With those that are not told. */
  int count() {
    return count;
  }

  void throwIfAny() {
    if (!found.isEmpty()) {
      found.sort(
          Comparator.comparing((FileProblem problem) -> problem.place().file())
              .thenComparingInt(problem -> problem.place().line())
              .thenComparingInt(problem -> problem.place().column()));
      throw new BadFile(found);
    }
  }
}
