package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.HistoryRow.Values;
import dev.postrider.workflow.machine.RowInfo.Detail;
import dev.postrider.workflow.machine.RunState.Head;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Role;
import dev.postrider.workflow.machine.RunState.Scope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How runs end: steps are given up and withdrawn; when no try is in flight, what was done is
 * compensated, latest first; then finally runs; the end is the last row.
 */
final class RunEnds {
  /** Requests that a transition withdraws. */
  private static final int BATCH = 100;

  static final String COMPENSATION_FAILED = "compensation_failed";

  private final Work work;
  private final StepEnds ends;
  private final Map<Integer, Id> withdrawn = new LinkedHashMap<>();

  RunEnds(Work work, StepEnds ends) {
    this.work = work;
    this.ends = ends;
  }

  /** Decides what the run ends as. */
  void ending(RunStatus status, @Nullable StepError error, String reason, boolean bare) {
    Work.Draft row = work.row(HistoryKind.RUN_ENDING);
    row.value(error == null ? null : error.json());
    row.info().put(Detail.ENDING, status.text()).put(Detail.REASON, reason);
    if (status != RunStatus.COMPLETED) {
      row.mark(Detail.EPOCH);
    }
    if (bare) {
      row.mark(Detail.BARE);
    }
    row.append();
  }

  /** What becomes of steps that were given up. True if a row was appended. */
  boolean giveUpOne() {
    for (LiveStep live : work.fold.live().values()) {
      if (!live.givenUp()) {
        continue;
      }
      boolean inFlight = live.call() != null && live.answered() == null;
      if (inFlight) {
        if (withdrawn.size() < BATCH) {
          withdrawn.putIfAbsent(live.seq(), live.call());
        }
      } else {
        giveUp(live);
        return true;
      }
      if (work.step(live) instanceof Step.Callback) {
        closeOnce(live);
      }
    }
    return false;
  }

  private void closeOnce(LiveStep live) {
    RunEffect close = new RunEffect.CloseCallback(live.seq());
    if (!work.effects.contains(close)) {
      work.effects.add(close);
    }
  }

  private void giveUp(LiveStep live) {
    Step step = work.step(live);
    Work.Draft row = work.row(HistoryKind.STEP_CANCELED, live);
    if (live.child() != null && live.answered() == null) {
      row.mark(Detail.OPEN);
      work.effects.add(new RunEffect.CancelChild(live.seq(), live.child()));
    } else if (live.answered() != null && !(step instanceof Step.Callback)) {
      // It has done what it was asked for, although nothing followed from it.
      undo(row, live);
    }
    row.append();
    if (step instanceof Step.Callback) {
      closeOnce(live);
    }
  }

  /** A request that was given up is gone, or is in flight. */
  void withdrawn(LiveStep live, RunEvent.Withdrawn.How how) {
    boolean untried = how == RunEvent.Withdrawn.How.UNTRIED;
    boolean skipped = untried && live.status() == StepStatus.SCHEDULED && live.attempts() == 0;
    Work.Draft row = work.row(skipped ? HistoryKind.STEP_SKIPPED : HistoryKind.STEP_CANCELED, live);
    if (how == RunEvent.Withdrawn.How.IN_FLIGHT) {
      row.mark(Detail.OPEN);
    } else if (how == RunEvent.Withdrawn.How.NO_ANSWER) {
      undo(row, live);
    }
    row.append();
  }

  /** The same of a step that has ended already, such as one that timed out. */
  void orphanWithdrawn(LiveStep orphan, RunEvent.Withdrawn.How how) {
    if (how == RunEvent.Withdrawn.How.IN_FLIGHT) {
      return;
    }
    Work.Draft row = work.row(HistoryKind.LATE_ANSWER, orphan);
    row.info().put(Detail.STATUS, how.name().toLowerCase(Locale.ROOT));
    if (how == RunEvent.Withdrawn.How.NO_ANSWER) {
      undo(row, orphan);
    }
    row.append();
  }

  /** An answer of a step that was given up changes nothing, but may have to be compensated. */
  void late(LiveStep live, Answer answer) {
    if (work.fold.live().containsKey(live.seq())) {
      work.row(HistoryKind.STEP_CANCELED, live).mark(Detail.OPEN).append();
    }
    Work.Draft row = work.row(HistoryKind.LATE_ANSWER, live);
    JsonValue result = answer.result();
    if (answer.status() != null) {
      row.info().put(Detail.STATUS, String.valueOf(answer.status()));
    }
    boolean fits = result.size() <= work.facts.limits().dataBytes();
    if (fits) {
      row.value(result);
    }
    if (answer.isSuccess() && fits && !answer.truncated()) {
      undo(row, live, result);
    } else if (answer.isSuccess() || answer.isUnknown()) {
      undo(row, live);
    }
    row.append();
  }

  void lateChild(LiveStep live, RunEvent.ChildEnded event) {
    if (work.fold.live().containsKey(live.seq())) {
      work.row(HistoryKind.STEP_CANCELED, live).mark(Detail.OPEN).append();
    }
    Work.Draft row = work.row(HistoryKind.LATE_ANSWER, live).value(event.value());
    row.info().put(Detail.STATUS, event.status().text());
    if (event.status() == RunStatus.COMPLETED) {
      undo(row, live, event.value() == null ? JsonValue.NULL : event.value());
    }
    row.append();
  }

  /** Marks a row to be compensated, with the data that the result would have led to. */
  private void undo(Work.Draft row, LiveStep live, JsonValue result) {
    undo(row, live);
    JsonValue merged = ends.merged(live, result);
    if (merged != null) {
      row.values(new Values(result, merged, null));
    }
  }

  /** Marks a row to be compensated, with the data that its step began with. */
  private void undo(Work.Draft row, LiveStep live) {
    Integer handler = ends.handler(live, work.fold.scopes().get(live.scope()));
    if (work.step(live) instanceof Step.Callback || handler == null) {
      return;
    }
    row.undo(handler);
    if (live.data().item() == null) {
      row.dataFrom(live.data().seq());
    } else {
      row.data(work.value(live.data()));
    }
  }

  /** One more step of an end. True if a row was appended. */
  boolean continueEnd(StepBegin begin) {
    Head head = work.fold.head();
    if (!work.fold.live().isEmpty() || !work.fold.orphans().isEmpty()) {
      return false;
    }
    Facts.Undoable last = compensates(head) ? work.lastUndo() : null;
    if (last != null) {
      return compensate(last, begin);
    }
    Integer handler = work.definition.finallyStep();
    if (handler != null && !work.fold.undo().finallyBegun()) {
      Scope main = work.fold.scope(Fold.MAIN);
      Scope scope = handlerScope(Role.FINALLY, 0, main.data());
      return begin.begin(
          scope,
          handler,
          info -> {
            info.mark(Detail.FINALLY);
            put(info, main.data());
          });
    }
    end();
    return true;
  }

  /** Not after finally: then what it will end as may have changed. */
  private boolean compensates(Head head) {
    return head.ending() != RunStatus.COMPLETED && !work.fold.undo().finallyBegun();
  }

  private boolean compensate(Facts.Undoable last, StepBegin begin) {
    Scope scope = handlerScope(Role.UNDO, last.seq(), last.data());
    if (work.nowMs >= work.fold.undo().dueMs()) {
      int seq = beginExpired(last, scope);
      ends.failed(
          work.live(seq),
          StepEnds.Failed.timedOut(
              StepError.of(
                  ErrorClass.TIMEOUT, "the compensation took longer than compensation_timeout"),
              false));
      return true;
    }
    return begin.begin(scope, last.handler(), info -> details(info, last));
  }

  private int beginExpired(Facts.Undoable last, Scope scope) {
    Work.Draft row = work.begin(HistoryKind.STEP_SCHEDULED, scope, last.handler());
    details(row.info(), last);
    return row.append();
  }

  private static void details(RowInfo.Builder info, Facts.Undoable last) {
    info.put(Detail.UNDOES, last.seq()).put(Detail.OF, last.began());
    put(info, last.data());
  }

  private static void put(RowInfo.Builder info, ValueRef data) {
    info.put(Detail.DATA, data.seq());
    if (data.item() != null) {
      info.put(Detail.ITEM, data.item());
    }
  }

  /** As {@link Fold} opens it with the row that begins its step. */
  private Scope handlerScope(Role role, int undoes, ValueRef data) {
    Head head = work.fold.head();
    return new Scope(
        head.nextScope(),
        role,
        Fold.MAIN,
        0,
        undoes,
        null,
        data,
        null,
        null,
        head.errorSeq(),
        Map.of());
  }

  private void end() {
    Head head = work.fold.head();
    RunStatus ending = Objects.requireNonNull(head.ending());
    boolean uncompensated = work.fold.undo().failed();
    RunStatus status = uncompensated ? RunStatus.FAILED : ending;
    Scope main = work.fold.scope(Fold.MAIN);
    JsonValue error = head.errorSeq() == null ? null : work.value(ValueRef.value(head.errorSeq()));
    Work.Draft row = work.row(HistoryKind.RUN_ENDED);
    row.info().put(Detail.ENDING, status.text());
    if (uncompensated) {
      row.info().put(Detail.REASON, COMPENSATION_FAILED);
    } else if (error != null) {
      row.info().put(Detail.REASON, StepError.read(error).type());
    }
    if (status == RunStatus.COMPLETED) {
      row.values(new Values(null, null, main.data().seq()));
    }
    row.append();
    if (work.facts.run().child()) {
      work.effects.add(
          new RunEffect.TellParent(
              status, status == RunStatus.COMPLETED ? work.value(main.data()) : error));
    }
  }

  /** Begins a step in a scope. */
  interface StepBegin {
    boolean begin(Scope scope, int step, Consumer<RowInfo.Builder> details);
  }

  /**
   * The requests to be withdrawn: those of steps that were given up, and those of steps that ended
   * before their answers.
   *
   * @param all whether requests that were withdrawn before and are in flight are looked at again
   */
  void withdraw(boolean all, int committed) {
    for (LiveStep orphan : work.fold.orphans().values()) {
      boolean fresh = work.endedSince(orphan.seq(), committed);
      if (orphan.call() != null && (all || fresh)) {
        withdrawn.put(orphan.seq(), orphan.call());
      }
    }
    List<Integer> gone = new ArrayList<>();
    withdrawn
        .keySet()
        .forEach(
            seq -> {
              if (!work.fold.live().containsKey(seq) && !work.fold.orphans().containsKey(seq)) {
                gone.add(seq);
              }
            });
    gone.forEach(withdrawn::remove);
    if (!withdrawn.isEmpty()) {
      work.effects.add(new RunEffect.Withdraw(withdrawn));
    }
  }

  /** Whether a request of this run is to be polled. */
  boolean polls() {
    return work.fold.orphans().values().stream().anyMatch(orphan -> orphan.call() != null)
        || work.fold.live().values().stream()
            .anyMatch(live -> live.givenUp() && live.call() != null);
  }
}
