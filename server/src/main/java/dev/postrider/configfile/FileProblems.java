package dev.postrider.configfile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects problems, so that all are reported at once. */
public final class FileProblems {
  /** Maximum number of reported problems. */
  static final int MAX = 200;

  private final List<FileProblem> found = new ArrayList<>();
  private final Set<FileProblem> places = new HashSet<>();
  private final Set<String> keys = new HashSet<>();
  private int count;

  /**
   * Only the first problem of a value is reported: a variable that is not set also results in an
   * empty text.
   */
  public void add(FilePosition place, String key, String text) {
    count++;
    keys.add(key);
    boolean first = place.line() == 0 || places.add(new FileProblem(place, key, ""));
    if (first && found.size() < MAX) {
      found.add(new FileProblem(place, key, text));
    }
  }

  /** The value is not known here: other problems of it are not reported. */
  void skip(FilePosition place, String key) {
    keys.add(key);
    places.add(new FileProblem(place, key, ""));
  }

  /** Whether something is wrong with the value of this key, or with a part of it. */
  boolean isAbout(String key) {
    return keys.stream()
        .anyMatch(bad -> bad.equals(key) || bad.startsWith(key + ".") || bad.startsWith(key + "["));
  }

  /** Including those that are not reported. */
  int count() {
    return count;
  }

  public void throwIfAny() {
    if (!found.isEmpty()) {
      found.sort(
          Comparator.comparing((FileProblem problem) -> problem.place().file())
              .thenComparingInt(problem -> problem.place().line())
              .thenComparingInt(problem -> problem.place().column()));
      throw new BadFile(found);
    }
  }
}
