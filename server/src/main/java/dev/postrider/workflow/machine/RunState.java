package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.Definition;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a run is: the fold of its history. It has numbers of rows instead of values.
 *
 * @param scopes by their numbers: the run, open branches and items, a handler; those of a run that
 *     failed remain, so that it can be redriven
 * @param live step instances that have not ended, by the row with which they began
 * @param orphans ended instances of which an answer may still come
 * @param undo where compensation stands
 */
public record RunState(
    Head head,
    Map<Integer, Scope> scopes,
    Map<Integer, LiveStep> live,
    Map<Integer, LiveStep> orphans,
    Undo undo) {

  /** Before the first row. */
  public static final RunState EMPTY =
      new RunState(
          new Head(0, 0, RunStatus.RUNNING, null, false, 0, Long.MAX_VALUE, null, 1),
          Map.of(),
          Map.of(),
          Map.of(),
          Undo.NONE);

  public RunState {
    scopes = Collections.unmodifiableMap(new TreeMap<>(scopes));
    live = Collections.unmodifiableMap(new TreeMap<>(live));
    orphans = Collections.unmodifiableMap(new TreeMap<>(orphans));
  }

  /**
   * The run.
   *
   * @param seq of the last row
   * @param epoch incremented when it begins to end and when it is redriven: requests of an older
   *     one are not sent
   * @param ending what it will end as; null: it does not end
   * @param deadlineMs of the run; {@link Long#MAX_VALUE} while it ends
   * @param errorSeq the row with the error of the run; null for none
   * @param nextScope the number of the next scope
   */
  public record Head(
      int seq,
      int epoch,
      RunStatus status,
      @Nullable RunStatus ending,
      boolean paused,
      long startedAtMs,
      long deadlineMs,
      @Nullable Integer errorSeq,
      int nextScope) {}

  /**
   * The kind of a scope: the steps of a run, of a branch of a parallel step, of an item of a map,
   * of a compensation, or those that run finally.
   */
  public enum Role {
    RUN,
    BRANCH,
    ITEM,
    UNDO,
    FINALLY
  }

  /**
   * A list of steps in progress. At most one of its steps is live.
   *
   * @param outer the scope of its parallel or map step; -1 for none
   * @param key of the results of that step; 0 for none
   * @param item the number of the branch, or the index of the item; of a handler, the row that it
   *     compensates
   * @param next the step to begin; null while a step is live, or after the last one
   * @param data where its data is
   * @param stopped the step that failed or was given up, with which a redriven run continues
   * @param kept the results that the step {@code next} or {@code stopped} continues with
   * @param errorSeq the row with the error that was caught last; null for none
   * @param past by the numbers of steps
   */
  public record Scope(
      int id,
      Role role,
      int outer,
      int key,
      int item,
      @Nullable Integer next,
      ValueRef data,
      @Nullable Integer stopped,
      @Nullable Join kept,
      @Nullable Integer errorSeq,
      Map<Integer, Past> past) {
    public Scope {
      past = Collections.unmodifiableMap(new TreeMap<>(past));
    }

    /** Whether its results go to a parallel or map step. */
    public boolean joins() {
      return role == Role.BRANCH || role == Role.ITEM;
    }

    Scope at(@Nullable Integer step, @Nullable Join join) {
      return new Scope(id, role, outer, key, item, step, data, null, join, errorSeq, past);
    }

    Scope stoppedAt(@Nullable Integer step, @Nullable Join join) {
      return new Scope(id, role, outer, key, item, null, data, step, join, errorSeq, past);
    }

    Scope with(ValueRef newData) {
      return new Scope(id, role, outer, key, item, next, newData, stopped, kept, errorSeq, past);
    }

    Scope caught(int seq) {
      return new Scope(id, role, outer, key, item, next, data, stopped, kept, seq, past);
    }

    Scope with(Map<Integer, Past> newPast) {
      return new Scope(id, role, outer, key, item, next, data, stopped, kept, errorSeq, newPast);
    }

    Scope with(int step, Past of) {
      Map<Integer, Past> changed = new TreeMap<>(past);
      changed.put(step, of);
      return with(changed);
    }
  }

  /**
   * What a step did in a scope.
   *
   * @param visits how often it began
   * @param sinceRedrive the same since the last redrive: that is limited
   * @param keyVisit the number in the idempotency key of the last visit
   * @param repeats whether the next visit has the same key
   * @param began the row with which the last visit began
   * @param before where the data was then
   * @param ended the row with which the last visit ended; 0 before
   * @param failed whether that row has an error
   */
  public record Past(
      int visits,
      int sinceRedrive,
      int keyVisit,
      boolean repeats,
      int began,
      ValueRef before,
      int ended,
      boolean failed) {

    int nextKeyVisit() {
      return repeats ? keyVisit : keyVisit + 1;
    }
  }

  /**
   * A step instance.
   *
   * @param seq the row with which it began
   * @param dueMs when it times out, or when its wait is over; {@link Long#MAX_VALUE}: never
   * @param attempts failed ones
   * @param call its request, or its notification until that is delivered; null for none
   * @param child its run; null for none
   * @param join its branches or items; null for none
   * @param answered an answer that is to be applied; null for none
   * @param givenUp whether its scope ended without it
   * @param data where the data was when it began
   */
  public record LiveStep(
      int seq,
      int scope,
      int step,
      StepStatus status,
      long dueMs,
      int attempts,
      @Nullable Id call,
      @Nullable Id child,
      @Nullable Join join,
      @Nullable Stored answered,
      boolean givenUp,
      ValueRef data) {

    LiveStep asGivenUp() {
      return new LiveStep(
          seq, scope, step, status, dueMs, attempts, call, child, join, answered, true, data);
    }

    LiveStep with(Join newJoin) {
      return new LiveStep(
          seq, scope, step, status, dueMs, attempts, call, child, newJoin, answered, givenUp, data);
    }

    LiveStep retried(int newAttempts, @Nullable Id newChild) {
      return new LiveStep(
          seq, scope, step, status, dueMs, newAttempts, call, newChild, join, null, givenUp, data);
    }

    LiveStep answered(Stored row) {
      return new LiveStep(
          seq, scope, step, status, dueMs, attempts, call, child, join, row, givenUp, data);
    }

    LiveStep notified() {
      return new LiveStep(
          seq, scope, step, status, dueMs, attempts, null, child, join, answered, givenUp, data);
    }
  }

  /**
   * An answer that was stored.
   *
   * @param seq the row with it as its value
   * @param failed whether a callback reported a failure
   */
  public record Stored(int seq, boolean failed) {}

  /**
   * The branches or items of a step.
   *
   * @param key the row with which the step began for the first time; its results have it
   * @param count of all branches or items
   * @param opened how many began or are to begin
   * @param done how many have a result
   * @param bytes of the results
   * @param failed whether one failed the step
   */
  public record Join(int key, int count, int opened, int done, long bytes, boolean failed) {
    Join plus(long size) {
      return new Join(key, count, opened, done + 1, bytes + size, failed);
    }

    Join opened(int newOpened) {
      return new Join(key, count, newOpened, done, bytes, failed);
    }

    Join failed(boolean newFailed) {
      return new Join(key, count, opened, done, bytes, newFailed);
    }

    boolean isComplete() {
      return done == count;
    }
  }

  /**
   * Compensation, in reverse order of the rows.
   *
   * @param before rows before this one are still to be compensated
   * @param after rows up to this one were compensated before a redrive
   * @param lowest the earliest beginning of a step that was compensated; {@link Integer#MAX_VALUE}
   *     if none was
   * @param failed whether a handler failed
   * @param dueMs when all of it times out; {@link Long#MAX_VALUE} before it begins
   * @param finallyBegun whether finally has begun, or is not to run
   */
  public record Undo(
      int before, int after, int lowest, boolean failed, long dueMs, boolean finallyBegun) {
    public static final Undo NONE =
        new Undo(Integer.MAX_VALUE, 0, Integer.MAX_VALUE, false, Long.MAX_VALUE, false);
  }

  /** The state after one more row. */
  public RunState apply(Definition definition, HistoryRow row) {
    Fold fold = new Fold(definition, this);
    fold.apply(row);
    return fold.state();
  }

  /** The state after all rows of a history. */
  public static RunState replay(Definition definition, Iterable<HistoryRow> rows) {
    Fold fold = new Fold(definition, EMPTY);
    rows.forEach(fold::apply);
    return fold.state();
  }

  public boolean isStarted() {
    return head.seq > 0;
  }

  /** As stored. */
  public String json() {
    return StateJson.write(this);
  }

  /** The state of a text that {@link #json} wrote; an empty text is {@link #EMPTY}. */
  public static RunState ofJson(String json) {
    return json.isEmpty() ? EMPTY : StateJson.read(json);
  }
}
