package dev.postrider.crypto;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A column of sealed values; the key of its table is {@code id}.
 *
 * @param ofApplication the condition for the rows of the application {@code :app}
 * @param owner the column with the id that a value is bound to
 * @param part the column with a text that it is bound to as well; null for none
 */
public record SealedColumn(
    String table,
    String column,
    String ofApplication,
    String owner,
    @Nullable String part,
    Context context) {

  /** What a value is bound to. */
  @FunctionalInterface
  public interface Context {
    byte[] of(Id owner, String part);
  }

  /** The table has a column with the application. */
  public static SealedColumn of(String table, String column, String owner, Context context) {
    return new SealedColumn(table, column, "application_id = :app", owner, null, context);
  }
}
