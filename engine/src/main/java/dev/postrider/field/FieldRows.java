package dev.postrider.field;

import dev.postrider.json.Json;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * Maps declared fields that are stored in a column of their own to SQL: their part of each
 * statement, and reading and writing of their values.
 */
public final class FieldRows {
  private final List<Field<?>> fields;

  public FieldRows(FieldSet fields) {
    this.fields = fields.stream().filter(field -> field.column() != null).toList();
  }

  /** The columns of a select: {@code e.uid, e.url}. */
  public String select(String table) {
    return join(column -> table + "." + column);
  }

  /** The columns of an insert: {@code uid, url}. */
  public String columns() {
    return join(column -> column);
  }

  /** The values of an insert: {@code :uid, :url}. */
  public String parameters() {
    return join(column -> ":" + column);
  }

  /** Of an update: {@code uid = :uid, url = :url}. */
  public String assignments() {
    return join(column -> column + " = :" + column);
  }

  private String join(Function<String, String> part) {
    return fields.stream().map(FieldRows::column).map(part).collect(Collectors.joining(", "));
  }

  private static String column(Field<?> field) {
    return String.valueOf(field.column());
  }

  public <S extends SqlStatement<S>> S bind(S statement, FieldValues values) {
    S bound = statement;
    for (Field<?> field : fields) {
      bound = bind(bound, field, values);
    }
    return bound;
  }

  @SuppressWarnings("unchecked") // the type of a field is that of its values
  private static <S extends SqlStatement<S>, T> S bind(
      S statement, Field<T> field, FieldValues values) {
    String column = column(field);
    Object value = values.value(field);
    return switch (field.type()) {
      case FieldType.Text _,
          FieldType.Url _,
          FieldType.Choice _,
          FieldType.Expression _,
          FieldType.RetrySchedule _,
          FieldType.JsonSchema _,
          FieldType.JsonObject _,
          FieldType.TextOrTable _,
          FieldType.TimeZone _,
          FieldType.Schemas _,
          FieldType.Signature _ ->
          statement.bind(column, (String) value);
      case FieldType.WholeNumber _, FieldType.Milliseconds _, FieldType.Bytes _ ->
          statement.bind(column, (Integer) value);
      case FieldType.Flag _ -> statement.bind(column, (Boolean) value);
      case FieldType.TwoWords _ -> statement.bind(column, Boolean.TRUE.equals(value) ? 1 : 0);
      case FieldType.DurationText _ ->
          statement.bind(column, value == null ? null : ((Duration) value).toMillis());
      case FieldType.TextList _,
          FieldType.EventTypes _,
          FieldType.HeaderNames _,
          FieldType.Networks _ ->
          statement.bind(column, joined((List<String>) value));
      case FieldType.TextMap _ ->
          statement.bind(column, Json.write(Objects.requireNonNull((Map<String, String>) value)));
      case FieldType.Group(FieldSet own, _) ->
          statement.bind(column, value == null ? null : FieldJson.write(own, (FieldValues) value));
      case FieldType.JsonValue _ -> statement.bind(column, (String) value);
      case FieldType.Tables _, FieldType.TablesByName _ -> throw notAColumn(column);
      case FieldType.WriteOnly<T> _ -> throw new IllegalArgumentException(column);
    };
  }

  /** Lists of objects are part of a larger object, which is stored as JSON. */
  private static IllegalArgumentException notAColumn(String column) {
    return new IllegalArgumentException(column + " is a list of objects; use FieldJson");
  }

  private static @Nullable String joined(@Nullable List<String> texts) {
    return texts == null || texts.isEmpty() ? null : String.join(",", texts);
  }

  /** The values of a row that has all columns of {@link #select}. */
  public FieldValues read(Row row) throws SQLException {
    FieldChanges values = new FieldChanges();
    for (Field<?> field : fields) {
      read(values, field, row);
    }
    return values.onto(FieldValues.NONE);
  }

  @SuppressWarnings("unchecked") // the type of a field is that of its values
  private static <T> void read(FieldChanges values, Field<T> field, Row row) throws SQLException {
    String column = column(field);
    Object value =
        switch (field.type()) {
          case FieldType.Text _,
              FieldType.Url _,
              FieldType.Choice _,
              FieldType.Expression _,
              FieldType.RetrySchedule _,
              FieldType.JsonSchema _,
              FieldType.JsonObject _,
              FieldType.TextOrTable _,
              FieldType.TimeZone _,
              FieldType.Schemas _,
              FieldType.Signature _ ->
              row.textOrNull(column);
          case FieldType.WholeNumber _, FieldType.Milliseconds _, FieldType.Bytes _ ->
              row.integerOrNull(column);
          case FieldType.DurationText _ -> duration(row.numberOrNull(column));
          case FieldType.Flag _ -> row.flag(column);
          case FieldType.TwoWords _ -> row.integer(column) == 1;
          case FieldType.TextList _,
              FieldType.EventTypes _,
              FieldType.HeaderNames _,
              FieldType.Networks _ ->
              texts(row.textOrNull(column));
          case FieldType.TextMap _ -> textsByName(row.textOrNull(column));
          case FieldType.Group(FieldSet own, _) -> values(own, row.textOrNull(column));
          case FieldType.JsonValue _ -> row.textOrNull(column);
          case FieldType.Tables _, FieldType.TablesByName _ -> throw notAColumn(column);
          case FieldType.WriteOnly<T> _ -> throw new IllegalArgumentException(column);
        };
    values.set(field, (T) value);
  }

  private static List<String> texts(@Nullable String joined) {
    return joined == null ? List.of() : Arrays.asList(joined.split(","));
  }

  private static Map<String, String> textsByName(@Nullable String json) {
    return json == null ? Map.of() : Json.texts(json);
  }

  private static @Nullable Duration duration(@Nullable Long ms) {
    return ms == null ? null : Duration.ofMillis(ms);
  }

  private static @Nullable FieldValues values(FieldSet fields, @Nullable String json) {
    return json == null ? null : FieldJson.read(fields, json);
  }
}
