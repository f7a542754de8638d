package dev.postrider.workflow.machine;

import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ResultPath;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.Catch;
import dev.postrider.workflow.definition.Common;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.HistoryRow.Joins;
import dev.postrider.workflow.machine.HistoryRow.Values;
import dev.postrider.workflow.machine.RowInfo.Detail;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Role;
import dev.postrider.workflow.machine.RunState.Scope;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How steps end: their data, the step that follows, what an error leads to, compensation. */
final class StepEnds {
  private final Work work;

  StepEnds(Work work) {
    this.work = work;
  }

  /**
   * The values of a step that completes.
   *
   * @param item the data is still this item of a map; null if it is not
   */
  record Done(Values values, @Nullable ValueRef item) {}

  /**
   * Evaluates what follows from a result: {@code result_path}, then {@code output}.
   *
   * @param before where the data is
   * @param result null if the type of the step has none, so that the data stays
   */
  Done done(Common common, Scope scope, ValueRef before, @Nullable JsonValue result) {
    if (result != null) {
      work.limited(result, "the result");
    }
    ResultPath path = result == null ? ResultPath.NONE : common.resultPath();
    if (common.output() == null && path.equals(ResultPath.NONE)) {
      return unchanged(before, result);
    }
    if (common.output() == null && path.equals(ResultPath.WHOLE)) {
      return new Done(Values.of(result), null);
    }
    JsonValue shown = result == null ? JsonValue.NULL : result;
    JsonValue data = work.limited(put(path, work.value(before), shown), "the data");
    if (common.output() != null) {
      data = work.evaluate(common.output(), data, scope, shown);
    }
    return new Done(new Values(result, data, null), null);
  }

  private static Done unchanged(ValueRef before, @Nullable JsonValue result) {
    return before.item() == null
        ? new Done(new Values(result, null, before.seq()), null)
        : new Done(Values.of(result), before);
  }

  private static JsonValue put(ResultPath path, JsonValue data, JsonValue result) {
    try {
      return path.put(data, result);
    } catch (ResultPath.NotAnObject e) {
      throw new Work.Failure(ErrorClass.EXPRESSION, Objects.requireNonNull(e.getMessage()));
    }
  }

  /** The step completed, and its scope goes on with the next one. */
  void completed(LiveStep live, Done done) {
    completed(live, done, work.step(live).common().next(), false);
  }

  /**
   * @param next null: the scope ends
   * @param open whether an answer of the step may still come
   */
  void completed(LiveStep live, Done done, @Nullable Integer next, boolean open) {
    Scope scope = work.scope(live);
    Integer following = Work.isHandler(scope) ? null : next;
    Work.Draft row =
        work.row(HistoryKind.STEP_COMPLETED, live)
            .next(following)
            .undo(handler(live, scope))
            .values(done.values());
    boolean joins = following == null && scope.joins();
    boolean undone = handler(live, scope) != null && done.item() != null;
    if (undone && !joins) {
      row.values(joined(done));
    } else if (joins) {
      // Those who join the results read the data in this row.
      Values whole = joined(done);
      JsonValue data = whole.data() == null ? whole.value() : whole.data();
      row.values(whole)
          .join(new Joins(scope.key(), scope.item()))
          .info()
          .put(Detail.SIZE, (long) Objects.requireNonNull(data).size());
    } else {
      putItem(row, done.item());
    }
    attempts(row, live);
    if (open) {
      row.mark(Detail.OPEN);
    }
    row.append();
  }

  private Values joined(Done done) {
    Values values = done.values();
    if (done.item() != null) {
      return new Values(values.value(), work.value(done.item()), null);
    }
    return values.data() == null && values.dataSeq() != null
        ? new Values(values.value(), work.value(ValueRef.data(values.dataSeq())), null)
        : values;
  }

  private static void putItem(Work.Draft row, @Nullable ValueRef item) {
    if (item != null) {
      row.info().put(Detail.DATA, item.seq()).put(Detail.ITEM, item.item());
    }
  }

  private static void attempts(Work.Draft row, LiveStep live) {
    if (live.attempts() > 0) {
      row.info().put(Detail.ATTEMPTS, live.attempts());
    }
  }

  /** The handler that compensates a step; those of handlers do not count. */
  @Nullable Integer handler(LiveStep live, @Nullable Scope scope) {
    return scope != null && Work.isHandler(scope) ? null : work.step(live).common().compensate();
  }

  /**
   * How a step fails.
   *
   * @param kind failed or timed out
   * @param undo whether its effect is to be compensated
   * @param open whether an answer of the step may still come
   * @param data for the handler; null: the data before the step
   */
  record Failed(
      HistoryKind kind, StepError error, boolean undo, boolean open, @Nullable JsonValue data) {
    static Failed of(StepError error) {
      return new Failed(HistoryKind.STEP_FAILED, error, false, false, null);
    }

    Failed undone(boolean done) {
      return new Failed(kind, error, done, open, data);
    }

    /** Its handler sees the result, although nothing else does. */
    Failed undone(@Nullable JsonValue withResult) {
      return new Failed(kind, error, true, open, withResult);
    }

    Failed open(boolean answerComes) {
      return new Failed(kind, error, undo, answerComes, data);
    }

    static Failed timedOut(StepError error, boolean open) {
      return new Failed(HistoryKind.STEP_TIMED_OUT, error, false, open, null);
    }
  }

  /** The data with a result that the scope does not get; null if it cannot be put there. */
  @Nullable JsonValue merged(LiveStep live, JsonValue result) {
    try {
      ResultPath path = work.step(live).common().resultPath();
      return path.equals(ResultPath.NONE)
          ? null
          : work.limited(put(path, work.value(live.data()), result), "the data");
    } catch (Work.Failure e) {
      return null;
    }
  }

  /** First matching catch, then {@code on_failure: continue}, then the scope fails. */
  void failed(LiveStep live, Failed failed) {
    Step step = work.step(live);
    Common common = step.common();
    Scope scope = work.scope(live);
    StepError error =
        failed.error().step() == null
            ? failed.error().at(step.name(), live.attempts() + (live.call() == null ? 0 : 1))
            : failed.error();
    Work.Draft row =
        work.row(failed.kind(), live).undo(failed.undo() ? handler(live, scope) : null);
    Values values = unchanged(live.data(), error.json()).values();
    boolean joins = false;
    Catch caught = Work.isHandler(scope) ? null : common.caught(error.type());
    Integer next = Work.isHandler(scope) ? null : common.next();
    if (caught != null && mayVisit(scope, caught.next())) {
      row.next(caught.next());
    } else if (common.continues() && mayVisit(scope, next)) {
      row.next(next);
      if (next == null && scope.joins()) {
        JsonValue data = work.value(live.data());
        values = new Values(error.json(), data, null);
        joins = true;
        joins(row, scope, data);
      }
    } else if (scope.role() == Role.ITEM && collects(scope)) {
      JsonValue result = error.inItem(scope.item()).json();
      values = new Values(result, null, values.dataSeq());
      joins = true;
      joins(row, scope, result);
    } else {
      row.info().put(Detail.THEN, Fold.FAILS);
    }
    JsonValue undoData = undoData(live, failed);
    if (undoData != null && !joins) {
      values = new Values(error.json(), undoData, null);
    } else {
      putItem(row, live.data().item() == null ? null : live.data());
    }
    row.values(values);
    attempts(row, live);
    if (failed.open()) {
      row.mark(Detail.OPEN);
    }
    row.append();
  }

  /** A step that was visited too often would only fail again, and lead here again. */
  private boolean mayVisit(Scope scope, @Nullable Integer step) {
    RunState.Past past = step == null ? null : scope.past().get(step);
    return past == null || past.sinceRedrive() < work.definition.maxVisits();
  }

  /** What a handler gets as its data, if it is not the data of a row. */
  private @Nullable JsonValue undoData(LiveStep live, Failed failed) {
    boolean ofItem = failed.undo() && live.data().item() != null;
    return failed.data() == null && ofItem ? work.value(live.data()) : failed.data();
  }

  private static void joins(Work.Draft row, Scope scope, JsonValue data) {
    row.join(new Joins(scope.key(), scope.item())).info().put(Detail.SIZE, (long) data.size());
  }

  private boolean collects(Scope scope) {
    LiveStep parent = Objects.requireNonNull(work.fold.liveIn(scope.outer()));
    return work.step(parent) instanceof Step.MapItems map && map.collects();
  }
}
