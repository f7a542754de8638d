package dev.postrider.delivery.accept;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The tables of idempotency keys (docs/adr/0030): one for each of the last generations, and one for
 * keys that outlive theirs.
 */
public final class KeyTables {
  /**
   * Tables of generations. A generation is current for half a window and lives for one and a half:
   * three have keys, and the fourth is empty when the next begins.
   */
  static final int SLOTS = 4;

  static final String COLUMNS = "application_id, key, body, message_id, expires_at, batch";

  /** For keys that expire later than their generation is dropped: a copy of their row. */
  public static final String LONG = "idempotency_long";

  private KeyTables() {}

  static String of(int slot) {
    return "idempotency_" + slot;
  }

  /** All of them. */
  public static List<String> all() {
    return Stream.concat(IntStream.range(0, SLOTS).mapToObj(KeyTables::of), Stream.of(LONG))
        .toList();
  }

  /**
   * A statement for each slot, where {@code {table}} is its table, and {@code {others}} a condition
   * for each of the other tables, in which {@code {other}} is that table.
   */
  static List<String> forEachSlot(String sql, String condition) {
    return IntStream.range(0, SLOTS).mapToObj(slot -> forSlot(sql, condition, slot)).toList();
  }

  private static String forSlot(String sql, String condition, int slot) {
    String own = of(slot);
    String others =
        all().stream()
            .filter(table -> !table.equals(own))
            .map(table -> condition.replace("{other}", table))
            .collect(Collectors.joining("\n AND "));
    return sql.replace("{others}", others)
        .replace("{table}", own)
        .replace("{slot}", Integer.toString(slot));
  }

  /** How many tables {@code {others}} names. */
  static int others() {
    return SLOTS;
  }
}
