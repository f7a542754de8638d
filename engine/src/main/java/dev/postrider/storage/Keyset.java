package dev.postrider.storage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The position of a page in a list, and its direction. Lists are read by key, never by offset
 * (engine rule 9).
 *
 * @param from the key next to the page; null means from the start
 * @param backward the page before {@code from} instead of the one after it
 * @param ascending the order of the list as the caller sees it
 */
public record Keyset<K>(int limit, @Nullable K from, boolean backward, boolean ascending) {
  public static final int DEFAULT_LIMIT = 50;
  public static final int MAX_LIMIT = 250;

  public static <K> Keyset<K> first(int limit, boolean ascending) {
    return new Keyset<>(limit, null, false, ascending);
  }

  public boolean readsUpwards() {
    return ascending != backward;
  }

  /**
   * The statement with {@code <beyond>} and {@code <way>} replaced: which side of the key, and in
   * which order.
   */
  public String apply(String sql) {
    return sql.replace("<beyond>", readsUpwards() ? ">" : "<")
        .replace("<way>", readsUpwards() ? "ASC" : "DESC");
  }

  /** The key next to the page, or that before the first row in the order read. */
  public K fromOr(K lowest, K highest) {
    return from != null ? from : readsUpwards() ? lowest : highest;
  }

  /** One more than the page holds, to see whether there is a next one. */
  public int fetch() {
    return limit + 1;
  }

  /** The page out of the rows in the order read. */
  public <T> Page<T> page(List<T> rows) {
    boolean done = rows.size() <= limit;
    List<T> items = new ArrayList<>(done ? rows : rows.subList(0, limit));
    if (backward) {
      Collections.reverse(items);
    }
    return new Page<>(List.copyOf(items), done);
  }

  /**
   * @param done there is nothing beyond the page in the direction that was read
   */
  public record Page<T>(List<T> items, boolean done) {}

  /**
   * Rows of a filtered list that were read together.
   *
   * @param rows those that pass the filter
   * @param next where to continue; null if there is nothing more
   */
  public record Stretch<K, T>(List<T> rows, @Nullable K next) {}

  /**
   * Rows of several sources as one stretch, in the order read. A source with {@code most} rows may
   * have more, so the stretch ends at its last one.
   *
   * @param sources each in the order read; of rows with the same key, that of the first source is
   *     taken
   * @param end where to continue if no source has more
   */
  public static <K extends Comparable<K>, T> Stretch<K, T> merge(
      Keyset<K> keyset, int most, @Nullable K end, Function<T, K> key, List<List<T>> sources) {
    Comparator<K> order =
        keyset.readsUpwards() ? Comparator.naturalOrder() : Comparator.reverseOrder();
    K full =
        sources.stream()
            .filter(source -> source.size() >= most)
            .map(source -> key.apply(source.getLast()))
            .min(order)
            .orElse(null);
    SortedMap<K, T> merged = new TreeMap<>(order);
    for (List<T> source : sources) {
      for (T row : source) {
        if (full == null || order.compare(key.apply(row), full) <= 0) {
          merged.putIfAbsent(key.apply(row), row);
        }
      }
    }
    return new Stretch<>(List.copyOf(merged.values()), full == null ? end : full);
  }

  /**
   * A page of a search that reads a limited number of rows.
   *
   * @param reached where the search ended if it ended before the page was full, else null
   */
  public record Found<K, T>(Page<T> page, @Nullable K reached) {
    public <R> Found<K, R> map(Function<T, R> function) {
      List<R> items = page.items().stream().map(function).toList();
      return new Found<>(new Page<>(items, page.done()), reached);
    }
  }

  /**
   * Reads stretch by stretch until the page is full.
   *
   * @param most maximum number of stretches; beyond it the page ends early
   * @param read reads the stretch that starts after a key; null means from the start
   */
  public <T> Found<K, T> search(int most, Function<@Nullable K, Stretch<K, T>> read) {
    List<T> found = new ArrayList<>();
    K at = from;
    for (int n = 0; found.size() < fetch(); n++) {
      if (n == most) {
        return new Found<>(new Page<>(page(found).items(), false), at);
      }
      Stretch<K, T> stretch = read.apply(at);
      found.addAll(stretch.rows());
      if (stretch.next() == null) {
        break;
      }
      at = stretch.next();
    }
    return new Found<>(page(found.subList(0, Math.min(found.size(), fetch()))), null);
  }
}
