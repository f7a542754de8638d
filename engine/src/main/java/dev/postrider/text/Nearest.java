package dev.postrider.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the most similar known name for a mistyped one. */
public final class Nearest {
  /** A longer name is unlikely to be a typo, and costs too much to compare. */
  private static final int MAX_LENGTH = 64;

  private Nearest() {}

  /** A sentence with the unknown word, the most similar one, and where to find them all. */
  public static String unknown(String kind, String name, Collection<String> known, String see) {
    String guess = to(name, known).map(near -> " Did you mean " + near + "?").orElse("");
    return "Unknown " + kind + " " + name + "." + guess + " See: " + see;
  }

  /** The error for an unknown field. */
  public static String unknownField(String name, Collection<String> known) {
    return "is unknown. "
        + to(name, known)
            .map(near -> "Did you mean " + near + "?")
            .orElse("Known: " + String.join(", ", known));
  }

  /** The most similar name, if it is close enough to be a typo. */
  public static Optional<String> to(String name, Collection<String> known) {
    if (name.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    int limit = Math.max(2, name.length() / 4);
    return known.stream()
        .filter(candidate -> distance(name, candidate) <= limit)
        .min(
            Comparator.<String>comparingInt(candidate -> distance(name, candidate))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** The distance of two names, which may be written as maxBytes, max_bytes or max-bytes. */
  private static int distance(String left, String right) {
    return letters(plain(left), plain(right));
  }

  private static String plain(String name) {
    return name.replaceAll("[_-]", "").toLowerCase(Locale.ROOT);
  }

  /** Levenshtein distance: the least number of letters to insert, drop or change. */
  private static int letters(String left, String right) {
    int[] previous = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int[] current = new int[right.length() + 1];
      current[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int change = previous[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(change, Math.min(previous[j], current[j - 1]) + 1);
      }
      previous = current;
    }
    return previous[right.length()];
  }
}
