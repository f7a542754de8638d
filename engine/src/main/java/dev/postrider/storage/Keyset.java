package dev.postrider.storage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The start of a page and its direction. Lists are read by key, never by offset (engine rule 9).
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
}
