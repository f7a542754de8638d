package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.machine.Facts;
import dev.postrider.workflow.machine.HistoryKind;
import dev.postrider.workflow.machine.HistoryRow;
import dev.postrider.workflow.machine.RowInfo;
import dev.postrider.workflow.machine.RunStatus;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** The rows of histories: appended, and read by transitions. */
public final class HistoryStore {
  private static final String COLUMNS =
      "seq, kind, at, run_status, scope, step, began, visit, next, call_id, joins, item, undo,"
          + " value, data, input_seq, info";

  private final Database database;
  private final Dialect dialect;

  public HistoryStore(Database database) {
    this.database = database;
    this.dialect = database.dialect();
  }

  /**
   * The rows of a transition.
   *
   * @param commitId by which a commit is found whose response was lost
   */
  public record Rows(RunRef ref, Id commitId, List<HistoryRow> rows) {}

  public void insert(Handle handle, List<Rows> transitions) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            INSERT INTO workflow_history (application_id, run_id, seq, kind, at, run_status, scope, step, began, visit, next, call_id,
                                          joins, item, undo, value, data, input_seq, info, commit_id)
            VALUES (:app, :run, :seq, :kind, :at, :status, :scope, :step, :began, :visit, :next, :call,
                    :joins, :item, :undo, :value, :data, :input, :info, :commit)
            """);
    for (Rows transition : transitions) {
      @Nullable Id commitId = transition.commitId();
      for (HistoryRow row : transition.rows()) {
        add(batch, transition.ref(), row, commitId);
        commitId = null;
      }
    }
    if (batch.size() > 0) {
      batch.execute();
    }
  }

  private static void add(PreparedBatch batch, RunRef ref, HistoryRow row, @Nullable Id commitId) {
    HistoryRow.Joins join = row.join();
    batch
        .bind("app", ref.applicationId())
        .bind("run", ref.runId())
        .bind("seq", row.seq())
        .bind("kind", row.kind().code())
        .bind("at", row.atMs())
        .bind("status", row.runStatus().code())
        .bind("scope", row.place().scope())
        .bind("step", row.place().step())
        .bind("began", row.place().began())
        .bind("visit", row.place().visit())
        .bind("next", row.next())
        .bindByType("call", row.callId(), Id.class)
        .bind("joins", join == null ? null : (Integer) join.key())
        .bind("item", join == null ? null : (Integer) join.item())
        .bind("undo", row.undo())
        .bind("value", bytes(row.values().value()))
        .bind("data", bytes(row.values().data()))
        .bind("input", row.values().dataSeq())
        .bind("info", row.info().stored())
        .bindByType("commit", commitId, Id.class)
        .add();
  }

  private static byte @Nullable [] bytes(@Nullable JsonValue value) {
    return value == null ? null : value.bytes();
  }

  /** Rows after that one, in their order. */
  public List<HistoryRow> rows(RunRef ref, int after, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT "
                        + COLUMNS
                        + " FROM workflow_history WHERE application_id = :app AND run_id = :run AND"
                        + " seq > :after ORDER BY seq LIMIT :limit")
                .bind("app", ref.applicationId())
                .bind("run", ref.runId())
                .bind("after", after)
                .bind("limit", limit)
                .map(Row.mapper(dialect, HistoryStore::row))
                .list());
  }

  private static HistoryRow row(Row row) throws SQLException {
    Integer joins = row.integerOrNull("joins");
    Integer item = row.integerOrNull("item");
    return new HistoryRow(
        row.integer("seq"),
        HistoryKind.of(row.integer("kind")),
        row.number("at"),
        RunStatus.of(row.integer("run_status")),
        new HistoryRow.Place(
            row.integer("scope"),
            row.integerOrNull("step"),
            row.integerOrNull("began"),
            row.integerOrNull("visit")),
        row.integerOrNull("next"),
        row.idOrNull("call_id"),
        joins == null || item == null ? null : new HistoryRow.Joins(joins, item),
        row.integerOrNull("undo"),
        new HistoryRow.Values(
            value(row.bytesOrNull("value")),
            value(row.bytesOrNull("data")),
            row.integerOrNull("input_seq")),
        RowInfo.parse(row.textOrNull("info")));
  }

  private static @Nullable JsonValue value(byte @Nullable [] bytes) {
    return bytes == null ? null : JsonValue.ofBytes(bytes);
  }

  /**
   * The whole value that a reference names, or of which it names an item; null in JSON if the row
   * has none.
   */
  public JsonValue value(RunRef ref, int seq, ValueRef.Part part) {
    String column = part == ValueRef.Part.DATA ? "coalesce(data, value)" : "value";
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT "
                        + column
                        + " AS value FROM workflow_history WHERE application_id = :app AND run_id ="
                        + " :run AND seq = :seq")
                .bind("app", ref.applicationId())
                .bind("run", ref.runId())
                .bind("seq", seq)
                .map(
                    Row.mapper(
                        dialect,
                        row -> {
                          byte[] bytes = row.bytesOrNull("value");
                          return bytes == null ? JsonValue.NULL : JsonValue.ofBytes(bytes);
                        }))
                .findOne()
                .orElse(JsonValue.NULL));
  }

  /** The results of branches or items. */
  public List<Facts.Joined> joined(RunRef ref, int key) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT item, coalesce(data, value) AS value FROM workflow_history WHERE"
                        + " application_id = :app AND run_id = :run AND joins = :key ORDER BY item")
                .bind("app", ref.applicationId())
                .bind("run", ref.runId())
                .bind("key", key)
                .map(
                    Row.mapper(
                        dialect,
                        row -> {
                          byte[] bytes = row.bytesOrNull("value");
                          return new Facts.Joined(
                              row.integer("item"),
                              bytes == null ? JsonValue.NULL : JsonValue.ofBytes(bytes));
                        }))
                .list());
  }

  /** See {@link Facts#lastUndo}. */
  public Facts.@Nullable Undoable lastUndo(RunRef ref, int after, int before) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT seq, coalesce(began, seq) AS began, undo, data IS NULL AS elsewhere, input_seq, info FROM workflow_history
                         WHERE application_id = :app AND run_id = :run AND undo IS NOT NULL AND seq > :after AND seq < :before
                         ORDER BY seq DESC LIMIT 1
                        """)
                    .bind("app", ref.applicationId())
                    .bind("run", ref.runId())
                    .bind("after", after)
                    .bind("before", before)
                    .map(
                        Row.mapper(
                            dialect,
                            row -> {
                              int seq = row.integer("seq");
                              return new Facts.Undoable(
                                  seq,
                                  row.integer("began"),
                                  row.integer("undo"),
                                  dataAfter(row, seq));
                            }))
                    .findOne())
        .orElse(null);
  }

  /** As {@link HistoryRow#dataAfter}, without the values. */
  private static ValueRef dataAfter(Row row, int seq) throws SQLException {
    RowInfo info = RowInfo.parse(row.textOrNull("info"));
    Integer array = info.number(RowInfo.Detail.DATA);
    Integer item = info.number(RowInfo.Detail.ITEM);
    if (array != null && item != null) {
      return ValueRef.item(array, item);
    }
    Integer other = row.integerOrNull("input_seq");
    return ValueRef.data(row.flag("elsewhere") && other != null ? other : seq);
  }

  /** Which commit has written this row; null if there is no such row, or it is not a first one. */
  public @Nullable Id commitOf(RunRef ref, int seq) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT commit_id FROM workflow_history WHERE application_id = :app AND"
                            + " run_id = :run AND seq = :seq")
                    .bind("app", ref.applicationId())
                    .bind("run", ref.runId())
                    .bind("seq", seq)
                    .map(Row.mapper(dialect, row -> Optional.ofNullable(row.idOrNull("commit_id"))))
                    .findFirst())
        .flatMap(id -> id)
        .orElse(null);
  }
}
