package dev.postrider.workflow.machine;

import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Params;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.RowInfo.Detail;
import dev.postrider.workflow.machine.RunState.Head;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Past;
import dev.postrider.workflow.machine.RunState.Role;
import dev.postrider.workflow.machine.RunState.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What follows from events of a run. {@link #next} is a pure function: the same arguments give the
 * same transition, and it changes nothing. Each type of step has its rules: {@link InlineSteps},
 * {@link CallSteps}, {@link JoinSteps}; ends are in {@link StepEnds} and {@link RunEnds}.
 */
public final class RunMachine {
  /** How long after a transition requests in flight of given up steps are looked at again. */
  static final long POLL_MS = 5_000;

  /** When expressions that found no thread are evaluated again. */
  static final long BUSY_MS = 1_000;

  private final Work work;
  private final StepEnds ends;
  private final InlineSteps inline;
  private final CallSteps calls;
  private final JoinSteps joins;
  private final RunEnds runEnds;
  private boolean polls;
  private boolean canceled;
  private boolean discarded;

  private RunMachine(Work work) {
    this.work = work;
    this.ends = new StepEnds(work);
    this.inline = new InlineSteps(work, ends);
    this.calls = new CallSteps(work, ends);
    this.joins = new JoinSteps(work, ends);
    this.runEnds = new RunEnds(work, ends);
  }

  /**
   * The transition of these events, in their order. Events that no longer matter, such as an answer
   * of a step that has ended, change nothing.
   *
   * @param state {@link RunState#EMPTY} before the first transition; then the first event is {@link
   *     RunEvent.Started}
   */
  public static Transition next(
      Definition definition, RunState state, List<RunEvent> events, Facts facts) {
    RunMachine machine = new RunMachine(new Work(definition, state, facts));
    return machine.transition(state, events);
  }

  private Transition transition(RunState state, List<RunEvent> events) {
    for (RunEvent event : events) {
      handle(event);
    }
    if (!isOpen() && work.busy && events.stream().anyMatch(RunMachine::isCancel)) {
      startCanceled(events);
    }
    if (discarded) {
      return new Transition(state, List.of(), List.of(new RunEffect.Discard()), null);
    }
    if (isOpen() && !canceled) {
      advance();
    }
    if (!canceled) {
      runEnds.withdraw(polls, state.head().seq());
    }
    return new Transition(work.fold.state(), work.rows(), work.effects, dueAtMs());
  }

  private boolean isOpen() {
    Head head = work.fold.head();
    return head.seq() > 0 && !head.status().isEnded();
  }

  // Events

  private void handle(RunEvent event) {
    if (event instanceof RunEvent.Started started) {
      if (work.fold.head().seq() == 0) {
        start(started.input());
      }
      return;
    }
    if (event instanceof RunEvent.Redrive redrive) {
      if (refusal(work.definition, work.fold.state(), redrive) == null) {
        redrive(redrive);
      }
      return;
    }
    if (!isOpen()) {
      return;
    }
    switch (event) {
      case RunEvent.Started _, RunEvent.Redrive _ -> {}
      case RunEvent.Tick _ -> tick();
      case RunEvent.Answered answered -> answered(answered);
      case RunEvent.Withdrawn withdrawn -> withdrawn(withdrawn);
      case RunEvent.CallbackReceived received -> called(received);
      case RunEvent.ChildEnded ended -> childEnded(ended);
      case RunEvent.Cancel cancel -> cancel(cancel.by());
      case RunEvent.ParentCanceled _ -> cancel("parent");
      case RunEvent.Pause _ -> {
        if (!work.fold.head().paused() && work.fold.head().ending() == null) {
          work.row(HistoryKind.RUN_PAUSED).append();
        }
      }
      case RunEvent.Resume _ -> {
        if (work.fold.head().paused()) {
          work.row(HistoryKind.RUN_RESUMED).append();
          tick();
        }
      }
    }
  }

  private void start(JsonValue input) {
    Scope none =
        new Scope(
            Fold.MAIN, Role.RUN, -1, 0, 0, null, ValueRef.data(1), null, null, null, Map.of());
    StepError error = null;
    JsonValue filled = input;
    try {
      String filter = work.definition.start().filter();
      if (filter != null
          && work.facts.run().message() != null
          && !work.isTrue(filter, input, none)) {
        discarded = true;
        return;
      }
      filled = filled(input);
    } catch (Work.NoThread e) {
      work.busy = true;
      return;
    } catch (Work.Failure e) {
      error = e.error();
    }
    started(filled);
    if (error != null) {
      runEnds.ending(RunStatus.FAILED, error, error.type(), true);
    }
  }

  private static boolean isCancel(RunEvent event) {
    return event instanceof RunEvent.Cancel || event instanceof RunEvent.ParentCanceled;
  }

  /** A run that is canceled needs no thread to start. */
  private void startCanceled(List<RunEvent> events) {
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Started started && work.fold.head().seq() == 0) {
        started(started.input());
      } else if (isCancel(event)) {
        handle(event);
      }
    }
    work.busy = false;
  }

  private void started(JsonValue input) {
    Long deadline = work.facts.run().deadlineMs();
    long own = work.nowMs + work.definition.timeout().toMillis();
    Work.Draft row = work.row(HistoryKind.RUN_STARTED).value(input);
    row.info().put(Detail.DUE, deadline == null ? own : Math.min(own, deadline));
    row.append();
  }

  private JsonValue filled(JsonValue input) {
    work.limited(input, "the input");
    Params.Filled filled = work.definition.params().fill(input);
    List<String> problems =
        filled.problems().isEmpty() ? work.facts.schemaProblems(filled.input()) : filled.problems();
    if (!problems.isEmpty()) {
      throw new Work.Failure(
          ErrorClass.REJECTED, "the input is not valid: " + String.join("; ", problems));
    }
    return work.limited(filled.input(), "the input");
  }

  /** What is due: the deadline of the run first, then timers by their time. */
  private void tick() {
    polls = true;
    Head head = work.fold.head();
    if (head.ending() == null && work.nowMs >= head.deadlineMs()) {
      runEnds.ending(
          RunStatus.TIMED_OUT,
          StepError.of(ErrorClass.TIMEOUT, "the run took longer than its timeout"),
          ErrorClass.TIMEOUT.word(),
          false);
      return;
    }
    if (head.paused()) {
      return;
    }
    for (LiveStep step : dueSteps()) {
      LiveStep live = work.fold.live().get(step.seq());
      if (live != null && !live.givenUp()) {
        if (live.answered() != null) {
          calls.applyStored(live);
        } else {
          due(live);
        }
      }
    }
  }

  private List<LiveStep> dueSteps() {
    List<LiveStep> due = new ArrayList<>();
    for (LiveStep live : work.fold.live().values()) {
      if (!live.givenUp() && (live.answered() != null || live.dueMs() <= work.nowMs)) {
        due.add(live);
      }
    }
    due.sort(Comparator.comparingLong(LiveStep::dueMs).thenComparingInt(LiveStep::seq));
    return due;
  }

  private void due(LiveStep live) {
    Step step = work.step(live);
    boolean open = live.call() != null;
    switch (step) {
      case Step.Wait _ -> {
        if (live.dueMs() <= work.nowMs) {
          calls.over(live);
        }
      }
      case Step.Callback _ -> {
        work.effects.add(new RunEffect.CloseCallback(live.seq()));
        timedOut(live, ErrorClass.CALLBACK_EXPIRED, "nobody called back in time", open);
      }
      case Step.Child _ -> {
        work.effects.add(
            new RunEffect.CancelChild(live.seq(), Objects.requireNonNull(live.child())));
        timedOut(live, ErrorClass.TIMEOUT, "the step took longer than its timeout", true);
      }
      case Step.Http _,
          Step.Parallel _,
          Step.MapItems _,
          Step.Choice _,
          Step.Send _,
          Step.Transform _,
          Step.Fail _,
          Step.Succeed _ ->
          timedOut(live, ErrorClass.TIMEOUT, "the step took longer than its timeout", open);
    }
  }

  private void timedOut(LiveStep live, ErrorClass type, String message, boolean open) {
    ends.failed(live, StepEnds.Failed.timedOut(StepError.of(type, message), open));
  }

  private void answered(RunEvent.Answered event) {
    LiveStep live = work.fold.live().get(event.seq());
    if (live == null) {
      live = work.fold.orphans().get(event.seq());
      if (live != null && live.call() != null) {
        runEnds.late(live, event.answer());
      }
    } else if (live.call() == null) {
      return;
    } else if (live.givenUp()) {
      if (live.answered() == null) {
        runEnds.late(live, event.answer());
      }
    } else {
      calls.answered(live, event.answer());
    }
  }

  private void withdrawn(RunEvent.Withdrawn event) {
    LiveStep live = work.fold.live().get(event.seq());
    LiveStep orphan = work.fold.orphans().get(event.seq());
    if (live != null && live.givenUp() && live.call() != null && live.answered() == null) {
      runEnds.withdrawn(live, event.how());
    } else if (orphan != null && orphan.call() != null) {
      runEnds.orphanWithdrawn(orphan, event.how());
    }
  }

  private void called(RunEvent.CallbackReceived event) {
    LiveStep live = work.fold.live().get(event.seq());
    if (live != null && !live.givenUp() && work.step(live) instanceof Step.Callback) {
      calls.called(live, event);
    }
  }

  private void childEnded(RunEvent.ChildEnded event) {
    LiveStep live = work.fold.live().get(event.seq());
    LiveStep found = live == null ? work.fold.orphans().get(event.seq()) : live;
    if (found == null || !event.child().equals(found.child())) {
      return;
    }
    if (live == null || live.givenUp()) {
      runEnds.lateChild(found, event);
    } else {
      calls.childEnded(live, event);
    }
  }

  /** One row, whatever is in progress; the rest follows with the next tick. */
  private void cancel(String by) {
    if (work.fold.head().ending() == null) {
      runEnds.ending(
          RunStatus.CANCELED,
          new StepError("canceled", "canceled by " + by, null, 0, null, null, null, null),
          "canceled by " + by,
          false);
      canceled = true;
    }
  }

  // Redrive

  /** Why a run does not take a request. */
  public record Refusal(Reason reason, @Nullable String step) {
    public enum Reason {
      /** It has ended. */
      RUN_ENDED,
      /** It ends: steps are given up and compensated. */
      RUN_ENDING,
      /** It has not ended. */
      RUN_LIVE,
      /** The main list has no step of the name. */
      UNKNOWN_STEP,
      /**
       * Steps after it were compensated; {@code step} is the last from which it can be redriven.
       */
      COMPENSATED,
      /** No step failed: redrive names a step to begin with. */
      NOT_FAILED
    }
  }

  /** Why a run does not take this request; null if it does. */
  public static @Nullable Refusal refusal(Definition definition, RunState state, RunEvent request) {
    boolean ended = state.head().status().isEnded();
    return switch (request) {
      case RunEvent.Redrive redrive -> refusedRedrive(definition, state, redrive);
      case RunEvent.Cancel _, RunEvent.Pause _, RunEvent.Resume _ -> {
        if (ended) {
          yield new Refusal(Refusal.Reason.RUN_ENDED, null);
        }
        yield state.head().ending() == null ? null : new Refusal(Refusal.Reason.RUN_ENDING, null);
      }
      case RunEvent.Started _,
          RunEvent.Answered _,
          RunEvent.Withdrawn _,
          RunEvent.Tick _,
          RunEvent.CallbackReceived _,
          RunEvent.ChildEnded _,
          RunEvent.ParentCanceled _ ->
          null;
    };
  }

  private static @Nullable Refusal refusedRedrive(
      Definition definition, RunState state, RunEvent.Redrive redrive) {
    if (!state.head().status().isEnded()) {
      return new Refusal(Refusal.Reason.RUN_LIVE, null);
    }
    Scope main = Objects.requireNonNull(state.scopes().get(Fold.MAIN));
    Integer from = from(definition, main, redrive.from());
    if (from == null) {
      return new Refusal(
          redrive.from() == null ? Refusal.Reason.NOT_FAILED : Refusal.Reason.UNKNOWN_STEP, null);
    }
    int lowest = state.undo().lowest();
    Past past = main.past().get(from);
    if (lowest != Integer.MAX_VALUE && (past == null || past.began() > lowest)) {
      return new Refusal(Refusal.Reason.COMPENSATED, lastAllowed(definition, main, lowest));
    }
    return null;
  }

  private static @Nullable Integer from(Definition definition, Scope main, @Nullable String name) {
    if (name == null) {
      return main.stopped();
    }
    for (int number : definition.main().steps()) {
      if (definition.step(number).name().equals(name)) {
        return number;
      }
    }
    return null;
  }

  private static @Nullable String lastAllowed(Definition definition, Scope main, int lowest) {
    String last = null;
    int latest = 0;
    for (var each : main.past().entrySet()) {
      int began = each.getValue().began();
      if (began <= lowest && began > latest) {
        latest = began;
        last = definition.step(each.getKey()).name();
      }
    }
    return last;
  }

  private void redrive(RunEvent.Redrive redrive) {
    Scope main = work.fold.scope(Fold.MAIN);
    int from = Objects.requireNonNull(from(work.definition, main, redrive.from()));
    boolean keeps =
        redrive.input() == null
            && Objects.equals(main.stopped(), from)
            && work.fold.undo().lowest() == Integer.MAX_VALUE;
    Work.Draft row = work.row(HistoryKind.RUN_REDRIVEN).value(redrive.input());
    row.info()
        .put(Detail.FROM, from)
        .put(Detail.DUE, work.nowMs + work.definition.timeout().toMillis());
    if (!keeps) {
      row.mark(Detail.BARE);
    }
    row.append();
  }

  // What is to be done

  private void advance() {
    while (isOpen()) {
      if (work.isFull()) {
        work.more = true;
        return;
      }
      if (!step()) {
        return;
      }
    }
  }

  /** Does one thing. False if nothing is to be done now. */
  private boolean step() {
    if (runEnds.giveUpOne()) {
      return true;
    }
    Head head = work.fold.head();
    if (head.ending() != null) {
      return runEnds.continueEnd(this::begin);
    }
    if (head.paused()) {
      return false;
    }
    if (joins.endOne()) {
      return true;
    }
    Scope main = work.fold.scope(Fold.MAIN);
    if (main.stopped() != null) {
      int seq = Objects.requireNonNull(main.past().get(main.stopped())).ended();
      StepError error = StepError.read(work.value(ValueRef.value(seq)));
      runEnds.ending(RunStatus.FAILED, error, error.type(), false);
      return true;
    }
    if (main.next() == null && work.fold.liveIn(Fold.MAIN) == null) {
      runEnds.ending(RunStatus.COMPLETED, null, "completed", false);
      return true;
    }
    return !work.busy && beginNext();
  }

  /** The steps of the latest parallel or map step first: so few of them are open at a time. */
  private boolean beginNext() {
    Scope next = null;
    for (Scope scope : work.fold.scopes().values()) {
      if (isReady(scope) && (next == null || scope.key() > next.key())) {
        next = scope;
      }
    }
    if (next == null) {
      return false;
    }
    if (work.fold.head().seq() >= work.facts.limits().rows()) {
      StepError error =
          StepError.of(
              ErrorClass.LIMIT,
              "the history has more than %d rows".formatted(work.facts.limits().rows()));
      runEnds.ending(RunStatus.FAILED, error, error.type(), false);
      return true;
    }
    if (work.fold.busy() >= work.facts.limits().liveSteps() && work.fold.leaves() > 0) {
      return false;
    }
    return begin(next, Objects.requireNonNull(next.next()), _ -> {});
  }

  private boolean isReady(Scope scope) {
    if (scope.next() == null) {
      return false;
    }
    if (!scope.joins()) {
      return true;
    }
    LiveStep parent = work.fold.liveIn(scope.outer());
    return parent != null
        && parent.join() != null
        && parent.join().key() == scope.key()
        && !parent.join().failed();
  }

  /** False if there was no thread for its expressions. */
  private boolean begin(Scope scope, int number, Consumer<RowInfo.Builder> details) {
    Step step = work.definition.step(number);
    Past past = scope.past().get(number);
    if (past != null && past.sinceRedrive() >= work.definition.maxVisits()) {
      LiveStep live = inline.begin(scope, step, details, null);
      ends.failed(
          live,
          StepEnds.Failed.of(
              StepError.of(
                  ErrorClass.LIMIT,
                  "the step was visited more than %d times"
                      .formatted(work.definition.maxVisits()))));
      return true;
    }
    try {
      switch (step) {
        case Step.Http http -> calls.http(scope, http, details);
        case Step.Callback callback -> calls.callback(scope, callback, details);
        case Step.Wait wait -> calls.waiting(scope, wait, details);
        case Step.Child child -> calls.child(scope, child, details);
        case Step.Parallel parallel -> joins.parallel(scope, parallel);
        case Step.MapItems map -> joins.map(scope, map);
        case Step.Choice choice -> inline.choice(scope, choice, details);
        case Step.Transform transform -> inline.transform(scope, transform, details);
        case Step.Send send -> inline.send(scope, send, details);
        case Step.Fail fail -> inline.fail(scope, fail, details);
        case Step.Succeed succeed -> inline.succeed(scope, succeed, details);
      }
      return true;
    } catch (Work.NoThread e) {
      work.busy = true;
      return false;
    }
  }

  // Time

  private @Nullable Long dueAtMs() {
    if (work.fold.head().seq() == 0) {
      return work.busy ? Long.valueOf(work.nowMs + BUSY_MS) : null;
    }
    if (!isOpen()) {
      return null;
    }
    long due = work.fold.head().deadlineMs();
    if (work.more || canceled) {
      due = Math.min(due, work.nowMs);
    }
    if (!work.fold.head().paused()) {
      for (LiveStep live : work.fold.live().values()) {
        if (!live.givenUp()) {
          due = Math.min(due, live.answered() == null ? live.dueMs() : work.nowMs);
        }
      }
    }
    if (runEnds.polls()) {
      due = Math.min(due, work.nowMs + POLL_MS);
    }
    if (work.busy) {
      due = work.nowMs + BUSY_MS;
    }
    return due == Long.MAX_VALUE ? null : due;
  }
}
