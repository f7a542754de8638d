package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A row of the history of a run. Rows are never changed.
 *
 * @param seq from 1, without a gap
 * @param runStatus of the run after this row
 * @param next the step with which the scope goes on; null: it ends, or goes on with this one
 * @param callId the request of the step, from which its delivery and attempts follow
 * @param join the row ends a branch or an item; null: it does not
 * @param undo the handler that compensates this row
 */
public record HistoryRow(
    int seq,
    HistoryKind kind,
    long atMs,
    RunStatus runStatus,
    Place place,
    @Nullable Integer next,
    @Nullable Id callId,
    @Nullable Joins join,
    @Nullable Integer undo,
    Values values,
    RowInfo info) {

  /**
   * What the row is about.
   *
   * @param scope 0 for the run; a branch, an item or a handler has a number of its own
   * @param step the number of the step in its version; null: the row is about the run
   * @param began the row with which this instance of the step began; null: this one
   * @param visit of the step in its scope, from 1
   */
  public record Place(
      int scope, @Nullable Integer step, @Nullable Integer began, @Nullable Integer visit) {
    /** The run itself. */
    public static final Place RUN = new Place(0, null, null, null);
  }

  /**
   * The result of a branch or an item: the data of the row, otherwise its value.
   *
   * @param key the row with which the parallel or map step began for the first time
   * @param item the number of the branch, or the index of the item
   */
  public record Joins(int key, int item) {}

  /**
   * The values of a row.
   *
   * @param value what the row is about: input, result or error
   * @param data the data of the scope after it; null: as {@link #dataSeq} says, otherwise the value
   * @param dataSeq the row whose data is the input of a step that begins without a value, or the
   *     data of the scope after a step that leaves it as it is
   */
  public record Values(
      @Nullable JsonValue value, @Nullable JsonValue data, @Nullable Integer dataSeq) {
    public static final Values NONE = new Values(null, null, null);

    static Values of(@Nullable JsonValue value) {
      return new Values(value, null, null);
    }
  }

  /** The row with which the step instance of this row began. */
  public int instance() {
    return place.began() == null ? seq : place.began();
  }

  /** Where the data of the scope is after this row, which ends a step. */
  public ValueRef dataAfter() {
    Integer origin = info.number(RowInfo.Detail.DATA);
    if (origin != null) {
      return ValueRef.item(origin, Objects.requireNonNull(info.number(RowInfo.Detail.ITEM)));
    }
    return values.data() == null && values.dataSeq() != null
        ? ValueRef.data(values.dataSeq())
        : ValueRef.data(seq);
  }

  HistoryRow withStatus(RunStatus status) {
    return new HistoryRow(seq, kind, atMs, status, place, next, callId, join, undo, values, info);
  }
}
