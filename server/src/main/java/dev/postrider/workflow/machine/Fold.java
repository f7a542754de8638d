package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.Block;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.RowInfo.Detail;
import dev.postrider.workflow.machine.RunState.Head;
import dev.postrider.workflow.machine.RunState.Join;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Past;
import dev.postrider.workflow.machine.RunState.Role;
import dev.postrider.workflow.machine.RunState.Scope;
import dev.postrider.workflow.machine.RunState.Stored;
import dev.postrider.workflow.machine.RunState.Undo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Applies rows of a history to a state. It is the only place where a state changes, and it reads
 * nothing but the definition and the rows. A transition uses one of it for all its rows.
 */
final class Fold {
  /** {@link Detail#THEN}: the scope of the step fails. Without it, it goes on or ends. */
  static final String FAILS = "fails";

  static final int MAIN = 0;

  private final Definition definition;
  private final TreeMap<Integer, Scope> scopes;
  private final TreeMap<Integer, LiveStep> live;
  private final TreeMap<Integer, LiveStep> orphans;

  /** The live step of each scope, by the number of the scope; without those that were given up. */
  private final Map<Integer, Integer> liveOf = new HashMap<>();

  private Head head;
  private Undo undo;

  /**
   * Scopes with a step to begin, and live steps that are scheduled, and that wait by themselves.
   */
  private int ready;

  private int scheduled;
  private int waiting;

  Fold(Definition definition, RunState state) {
    this.definition = definition;
    this.head = state.head();
    this.undo = state.undo();
    this.scopes = new TreeMap<>(state.scopes());
    this.live = new TreeMap<>(state.live());
    this.orphans = new TreeMap<>(state.orphans());
    scopes.values().forEach(scope -> ready += scope.next() == null ? 0 : 1);
    live.values().forEach(step -> count(step, 1));
  }

  RunState state() {
    return new RunState(head, scopes, live, orphans, undo);
  }

  Head head() {
    return head;
  }

  Undo undo() {
    return undo;
  }

  Map<Integer, Scope> scopes() {
    return scopes;
  }

  Map<Integer, LiveStep> live() {
    return live;
  }

  Map<Integer, LiveStep> orphans() {
    return orphans;
  }

  Scope scope(int id) {
    return Objects.requireNonNull(scopes.get(id), "a scope that is open");
  }

  /** The live step of a scope; null if none is. */
  @Nullable LiveStep liveIn(int scope) {
    Integer seq = liveOf.get(scope);
    return seq == null ? null : live.get(seq);
  }

  /** Live steps other than parallel and map, without those that were given up. */
  int leaves() {
    return scheduled + waiting;
  }

  /** The same with parallel and map. */
  int busy() {
    return liveOf.size();
  }

  /** The status of the run after this row, if it were applied. */
  RunStatus apply(HistoryRow row) {
    if (row.seq() != head.seq() + 1) {
      throw new IllegalStateException("row " + row.seq() + " of a history after row " + head.seq());
    }
    RunStatus before = head.seq() == 0 ? null : head.status();
    head =
        new Head(
            row.seq(),
            head.epoch(),
            head.status(),
            head.ending(),
            head.paused(),
            head.startedAtMs(),
            head.deadlineMs(),
            head.errorSeq(),
            head.nextScope());
    switch (row.kind()) {
      case RUN_STARTED -> started(row);
      case RUN_ENDING -> ending(row);
      case RUN_PAUSED -> paused(true);
      case RUN_RESUMED -> paused(false);
      case RUN_REDRIVEN -> redriven(row);
      case RUN_ENDED -> ended(row);
      case LATE_ANSWER -> orphans.remove(row.instance());
      case STEP_SCHEDULED, STEP_WAITING -> began(row);
      case STEP_RETRYING -> retrying(row);
      case STEP_ANSWERED ->
          put(changed(row).answered(new Stored(row.seq(), row.info().has(Detail.STATUS))));
      case STEP_NOTIFIED -> put(changed(row).notified());
      case STEP_COMPLETED, STEP_FAILED, STEP_TIMED_OUT, STEP_CANCELED, STEP_SKIPPED ->
          stepEnded(row);
    }
    RunStatus after = status(row);
    RunTransitions.of(before, row.kind(), after);
    head = head(after, head.ending(), head.paused(), head.deadlineMs());
    return after;
  }

  private RunStatus status(HistoryRow row) {
    if (row.kind() == HistoryKind.RUN_ENDED) {
      return ending(row.info());
    }
    if (head.paused()) {
      return RunStatus.PAUSED;
    }
    boolean waits = head.ending() == null && ready == 0 && scheduled == 0 && waiting > 0;
    return waits ? RunStatus.WAITING : RunStatus.RUNNING;
  }

  private static RunStatus ending(RowInfo info) {
    String text = Objects.requireNonNull(info.text(Detail.ENDING));
    for (RunStatus each : RunStatus.values()) {
      if (each.text().equals(text)) {
        return each;
      }
    }
    throw new IllegalStateException("a run does not end as " + text);
  }

  private Head head(RunStatus status, @Nullable RunStatus ending, boolean paused, long deadlineMs) {
    return new Head(
        head.seq(),
        head.epoch(),
        status,
        ending,
        paused,
        head.startedAtMs(),
        deadlineMs,
        head.errorSeq(),
        head.nextScope());
  }

  private void started(HistoryRow row) {
    head =
        new Head(
            row.seq(),
            0,
            RunStatus.RUNNING,
            null,
            false,
            row.atMs(),
            Objects.requireNonNull(row.info().time(Detail.DUE)),
            null,
            MAIN + 1);
    put(
        new Scope(
            MAIN,
            Role.RUN,
            -1,
            0,
            0,
            definition.main().first(),
            ValueRef.data(row.seq()),
            null,
            null,
            null,
            Map.of()));
  }

  private void paused(boolean paused) {
    head = head(head.status(), head.ending(), paused, head.deadlineMs());
  }

  private void ending(HistoryRow row) {
    RunStatus ending = ending(row.info());
    head =
        new Head(
            row.seq(),
            head.epoch() + (row.info().has(Detail.EPOCH) ? 1 : 0),
            head.status(),
            ending,
            false,
            head.startedAtMs(),
            Long.MAX_VALUE,
            row.values().value() == null ? head.errorSeq() : Integer.valueOf(row.seq()),
            head.nextScope());
    if (ending != RunStatus.COMPLETED) {
      List.copyOf(scopes.values()).forEach(this::stop);
    }
    if (row.info().has(Detail.BARE)) {
      undo = new Undo(0, undo.after(), undo.lowest(), false, undo.dueMs(), true);
    }
  }

  private void ended(HistoryRow row) {
    if (ending(row.info()) == RunStatus.COMPLETED) {
      dropInner(MAIN);
    }
    head = head(head.status(), null, false, Long.MAX_VALUE);
  }

  private void redriven(HistoryRow row) {
    RowInfo info = row.info();
    boolean edited = row.values().value() != null;
    boolean keeps = !info.has(Detail.BARE);
    int from = Objects.requireNonNull(info.number(Detail.FROM));
    head =
        new Head(
            row.seq(),
            head.epoch() + 1,
            RunStatus.RUNNING,
            null,
            false,
            head.startedAtMs(),
            Objects.requireNonNull(info.time(Detail.DUE)),
            null,
            head.nextScope());
    boolean compensated = undo.lowest() != Integer.MAX_VALUE;
    undo =
        new Undo(
            Integer.MAX_VALUE,
            compensated ? row.seq() : undo.after(),
            Integer.MAX_VALUE,
            false,
            Long.MAX_VALUE,
            false);
    if (!keeps) {
      dropInner(MAIN);
    }
    for (Scope scope : List.copyOf(scopes.values())) {
      Join kept = keeps && scope.kept() != null ? scope.kept().failed(false) : null;
      boolean main = scope.id() == MAIN;
      Integer step = main ? Integer.valueOf(from) : scope.stopped();
      Scope changed = scope.at(step, kept).with(again(scope, step, edited));
      if (main && edited) {
        changed = changed.with(ValueRef.data(row.seq()));
      } else if (main && !keeps) {
        Past past = scope.past().get(from);
        changed = past == null ? changed : changed.with(past.before());
      }
      put(changed);
    }
  }

  /** Visits begin again; from this step on with the same keys, if the data is the same. */
  private static Map<Integer, Past> again(Scope scope, @Nullable Integer step, boolean edited) {
    Past first = step == null ? null : scope.past().get(step);
    Map<Integer, Past> again = new TreeMap<>();
    scope
        .past()
        .forEach(
            (number, past) ->
                again.put(
                    number,
                    new Past(
                        past.visits(),
                        0,
                        past.keyVisit(),
                        !edited && first != null && past.began() >= first.began(),
                        past.began(),
                        past.before(),
                        past.ended(),
                        past.failed())));
    return again;
  }

  // Steps

  private void began(HistoryRow row) {
    RowInfo info = row.info();
    int number = Objects.requireNonNull(row.place().step());
    if (info.has(Detail.UNDOES) || info.has(Detail.FINALLY)) {
      openHandler(row);
    }
    Scope scope = scope(row.place().scope());
    Past before = scope.past().get(number);
    int visits = Objects.requireNonNull(row.place().visit());
    Integer keyVisit = info.number(Detail.KEY_VISIT);
    Past past =
        new Past(
            visits,
            (before == null ? 0 : before.sinceRedrive()) + 1,
            keyVisit == null ? visits : keyVisit,
            false,
            row.seq(),
            scope.data(),
            0,
            false);
    Join join = join(row, scope);
    Long due = info.time(Detail.DUE);
    put(scope.at(null, null).with(number, past));
    put(
        new LiveStep(
            row.seq(),
            scope.id(),
            number,
            row.kind() == HistoryKind.STEP_WAITING ? StepStatus.WAITING : StepStatus.SCHEDULED,
            due == null ? Long.MAX_VALUE : due,
            0,
            row.callId(),
            child(info),
            join,
            null,
            false,
            scope.data()));
    if (join != null && !info.has(Detail.KEY)) {
      open(scope.id(), definition.step(number), join);
    }
  }

  private static @Nullable Id child(RowInfo info) {
    String text = info.text(Detail.CHILD);
    return text == null ? null : StateJson.id(text);
  }

  private static @Nullable Join join(HistoryRow row, Scope scope) {
    if (row.info().has(Detail.KEY)) {
      return scope.kept();
    }
    Integer count = row.info().number(Detail.COUNT);
    return count == null ? null : new Join(row.seq(), count, 0, 0, 0, false);
  }

  private void openHandler(HistoryRow row) {
    RowInfo info = row.info();
    boolean undoes = info.has(Detail.UNDOES);
    int id = takeScope();
    put(
        new Scope(
            id,
            undoes ? Role.UNDO : Role.FINALLY,
            MAIN,
            0,
            undoes ? Objects.requireNonNull(info.number(Detail.UNDOES)) : 0,
            null,
            handlerData(info),
            null,
            null,
            head.errorSeq(),
            Map.of()));
    if (undoes) {
      boolean first = undo.lowest() == Integer.MAX_VALUE;
      undo =
          new Undo(
              Objects.requireNonNull(info.number(Detail.UNDOES)),
              undo.after(),
              Math.min(undo.lowest(), Objects.requireNonNull(info.number(Detail.OF))),
              undo.failed(),
              first ? row.atMs() + definition.compensationTimeout().toMillis() : undo.dueMs(),
              undo.finallyBegun());
    } else {
      undo =
          new Undo(undo.before(), undo.after(), undo.lowest(), undo.failed(), undo.dueMs(), true);
    }
  }

  private static ValueRef handlerData(RowInfo info) {
    int seq = Objects.requireNonNull(info.number(Detail.DATA));
    Integer item = info.number(Detail.ITEM);
    return item == null ? ValueRef.data(seq) : ValueRef.item(seq, item);
  }

  private int takeScope() {
    int id = head.nextScope();
    head =
        new Head(
            head.seq(),
            head.epoch(),
            head.status(),
            head.ending(),
            head.paused(),
            head.startedAtMs(),
            head.deadlineMs(),
            head.errorSeq(),
            id + 1);
    return id;
  }

  /** Opens the scopes of branches, or of as many items as may be live at the same time. */
  private void open(int outer, Step step, Join join) {
    switch (step) {
      case Step.Parallel parallel -> {
        for (int i = 0; i < parallel.branches().size(); i++) {
          open(outer, Role.BRANCH, join.key(), i, parallel.branches().get(i).block());
        }
        opened(outer, join.count());
      }
      case Step.MapItems map -> {
        int first = Math.min(map.concurrency(), join.count());
        for (int i = 0; i < first; i++) {
          open(outer, Role.ITEM, join.key(), i, map.block());
        }
        opened(outer, first);
      }
      case Step.Http _,
          Step.Choice _,
          Step.Wait _,
          Step.Callback _,
          Step.Child _,
          Step.Send _,
          Step.Transform _,
          Step.Fail _,
          Step.Succeed _ ->
          throw new IllegalStateException("a step of the type " + step.type() + " has no scopes");
    }
  }

  private void open(int outer, Role role, int key, int item, Block block) {
    ValueRef data =
        role == Role.ITEM ? ValueRef.item(key, item) : Objects.requireNonNull(liveIn(outer)).data();
    if (role == Role.BRANCH) {
      data = branchData(outer, data);
    }
    put(
        new Scope(
            takeScope(),
            role,
            outer,
            key,
            item,
            block.first(),
            data,
            null,
            null,
            scope(outer).errorSeq(),
            Map.of()));
  }

  /** A branch begins with the input of its step, which is its own value if it has one. */
  private ValueRef branchData(int outer, ValueRef data) {
    Step step = definition.step(Objects.requireNonNull(liveIn(outer)).step());
    return step.common().input() == null ? data : ValueRef.data(head.seq());
  }

  private void opened(int outer, int count) {
    LiveStep step = Objects.requireNonNull(liveIn(outer));
    put(step.with(Objects.requireNonNull(step.join()).opened(count)));
  }

  private LiveStep changed(HistoryRow row) {
    LiveStep step = Objects.requireNonNull(live.get(row.instance()), "a step that is live");
    StepTransitions.of(step.status(), row.kind());
    return step;
  }

  private void retrying(HistoryRow row) {
    Integer attempts = Objects.requireNonNull(row.info().number(Detail.ATTEMPTS));
    put(changed(row).retried(attempts, child(row.info())));
  }

  private void stepEnded(HistoryRow row) {
    LiveStep step = changed(row);
    remove(step);
    if (row.info().has(Detail.OPEN)) {
      orphans.put(step.seq(), step.asGivenUp());
    }
    if (step.givenUp()) {
      return;
    }
    boolean failed = row.kind() != HistoryKind.STEP_COMPLETED;
    Scope scope = scope(step.scope());
    Past past = Objects.requireNonNull(scope.past().get(step.step()));
    scope =
        scope.with(
            step.step(),
            new Past(
                past.visits(),
                past.sinceRedrive(),
                past.keyVisit(),
                past.repeats(),
                past.began(),
                past.before(),
                row.seq(),
                failed));
    put(failed ? scope : scope.with(row.dataAfter()));
    if (FAILS.equals(row.info().text(Detail.THEN))) {
      fails(scope, step);
    } else {
      if (step.join() != null) {
        dropInner(scope.id());
      }
      goesOn(row, failed);
    }
  }

  private void goesOn(HistoryRow row, boolean failed) {
    Scope scope = scope(row.place().scope());
    if (row.next() != null) {
      Scope after = scope.at(row.next(), null);
      put(failed ? after.caught(row.seq()) : after);
    } else if (scope.joins()) {
      remove(scope);
      join(scope, row);
    } else if (scope.role() != Role.RUN) {
      remove(scope);
    }
  }

  /** The result of a branch or an item is there; the next item may begin. */
  private void join(Scope ended, HistoryRow row) {
    LiveStep parent = Objects.requireNonNull(liveIn(ended.outer()));
    Long size = row.info().time(Detail.SIZE);
    Join join = Objects.requireNonNull(parent.join()).plus(size == null ? 0 : size);
    put(parent.with(join));
    if (definition.step(parent.step()) instanceof Step.MapItems map
        && join.opened() < join.count()
        && !join.failed()) {
      open(ended.outer(), Role.ITEM, join.key(), join.opened(), map.block());
      opened(ended.outer(), join.opened() + 1);
    }
  }

  private void fails(Scope scope, LiveStep step) {
    if (scope.role() == Role.UNDO || scope.role() == Role.FINALLY) {
      remove(scope);
      if (scope.role() == Role.FINALLY) {
        finallyFailed();
      } else {
        undo =
            new Undo(
                undo.before(),
                undo.after(),
                undo.lowest(),
                true,
                undo.dueMs(),
                undo.finallyBegun());
      }
      return;
    }
    inner(scope.id()).forEach(id -> stop(scope(id)));
    put(scope.stoppedAt(step.step(), step.join()));
    if (scope.joins()) {
      LiveStep parent = Objects.requireNonNull(liveIn(scope.outer()));
      put(parent.with(Objects.requireNonNull(parent.join()).failed(true)));
    }
  }

  /** That fails only a run that would have completed. */
  private void finallyFailed() {
    if (head.ending() == RunStatus.COMPLETED) {
      head =
          new Head(
              head.seq(),
              head.epoch(),
              head.status(),
              RunStatus.FAILED,
              head.paused(),
              head.startedAtMs(),
              head.deadlineMs(),
              head.seq(),
              head.nextScope());
    }
  }

  /** Gives up what a scope does. */
  private void stop(Scope scope) {
    LiveStep step = liveIn(scope.id());
    if (step != null) {
      remove(step);
      put(step.asGivenUp());
      put(scope.stoppedAt(step.step(), step.join()));
    } else if (scope.next() != null) {
      put(scope.stoppedAt(scope.next(), scope.kept()));
    }
  }

  /** The scopes inside this one. A scope has a larger number than the one around it. */
  private List<Integer> inner(int outer) {
    Set<Integer> inside = new HashSet<>(Set.of(outer));
    List<Integer> found = new ArrayList<>();
    for (Scope scope : scopes.tailMap(outer, false).values()) {
      if (scope.joins() && inside.contains(scope.outer())) {
        inside.add(scope.id());
        found.add(scope.id());
      }
    }
    return found;
  }

  private void dropInner(int outer) {
    for (int id : inner(outer)) {
      LiveStep step = liveIn(id);
      if (step != null) {
        remove(step);
        put(step.asGivenUp());
      }
      remove(scope(id));
    }
  }

  private void put(Scope scope) {
    Scope before = scopes.put(scope.id(), scope);
    ready += (scope.next() == null ? 0 : 1) - (before == null || before.next() == null ? 0 : 1);
  }

  private void remove(Scope scope) {
    Scope before = scopes.remove(scope.id());
    ready -= before == null || before.next() == null ? 0 : 1;
  }

  private void put(LiveStep step) {
    LiveStep before = live.put(step.seq(), step);
    if (before != null) {
      count(before, -1);
    }
    count(step, 1);
  }

  private void remove(LiveStep step) {
    live.remove(step.seq());
    count(step, -1);
  }

  private void count(LiveStep step, int by) {
    if (step.givenUp()) {
      return;
    }
    if (by > 0) {
      liveOf.put(step.scope(), step.seq());
    } else {
      liveOf.remove(step.scope());
    }
    if (step.join() == null) {
      if (step.status() == StepStatus.SCHEDULED) {
        scheduled += by;
      } else {
        waiting += by;
      }
    }
  }
}
