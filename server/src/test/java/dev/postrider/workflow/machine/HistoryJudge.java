package dev.postrider.workflow.machine;

import dev.postrider.workflow.definition.Block;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.RowInfo.Detail;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What must be true of a history, found in its rows alone: no step is lost or begun twice, results
 * are joined once, compensation goes backwards, the end is last. It knows nothing of the fold.
 */
final class HistoryJudge {
  /** A step instance, as its rows show it. */
  private static final class Instance {
    final HistoryRow began;
    @Nullable HistoryRow ended;
    boolean open;

    Instance(HistoryRow began) {
      this.began = began;
    }
  }

  /** A list of steps in progress. */
  private static final class Line {
    final Set<Integer> allowed = new HashSet<>();
    final boolean handler;
    int key;
    int item;
    @Nullable Instance live;

    Line(boolean handler) {
      this.handler = handler;
    }
  }

  private final Definition definition;
  private final List<HistoryRow> rows;
  private final List<String> problems = new ArrayList<>();
  private final Map<Integer, Instance> instances = new HashMap<>();
  private final Map<Integer, Line> lines = new HashMap<>();
  private final Map<Integer, Set<Integer>> results = new HashMap<>();
  private final Map<Integer, Set<Integer>> openItems = new HashMap<>();
  private final Map<Integer, HistoryRow> undoable = new HashMap<>();

  /** Of requests since the last redrive, which repeats them. */
  private final Set<String> keys = new HashSet<>();

  private boolean ending;
  private boolean ended;
  private boolean compensates;
  private boolean finallyRan;
  private int undone = Integer.MAX_VALUE;
  private int undoneBefore;

  private HistoryJudge(Definition definition, List<HistoryRow> rows) {
    this.definition = definition;
    this.rows = rows;
  }

  /** What is wrong with the history of an ended run; empty if nothing is. */
  static List<String> problems(Definition definition, List<HistoryRow> rows) {
    HistoryJudge judge = new HistoryJudge(definition, rows);
    for (int i = 0; i < rows.size(); i++) {
      judge.check(rows.get(i), rows.get(i).seq() == i + 1, "has a gap before it");
    }
    judge.judge();
    return judge.problems;
  }

  /** The same of a history to which rows were added, or from which some were taken. */
  static List<String> problemsOfChanged(Definition definition, List<HistoryRow> rows) {
    HistoryJudge judge = new HistoryJudge(definition, rows);
    judge.judge();
    return judge.problems;
  }

  private void judge() {
    for (HistoryRow row : rows) {
      check(
          row,
          (row == rows.getFirst()) == (row.kind() == HistoryKind.RUN_STARTED),
          "starts the run again");
      check(row, !ended || row.kind() == HistoryKind.RUN_REDRIVEN, "follows the end of the run");
      judge(row);
    }
    if (!ended) {
      problems.add("the run has no end");
    }
  }

  private void check(HistoryRow row, boolean condition, String problem) {
    if (!condition) {
      problems.add("row " + row.seq() + " " + row.kind().text() + " " + problem);
    }
  }

  private void judge(HistoryRow row) {
    switch (row.kind()) {
      case RUN_STARTED -> allow(0, false, definition.main());
      case RUN_ENDING -> {
        check(row, !ending, "ends a run that ends");
        ending = true;
        compensates =
            !"completed".equals(row.info().text(Detail.ENDING)) && !row.info().has(Detail.BARE);
        finallyRan = row.info().has(Detail.BARE);
      }
      case RUN_PAUSED, RUN_RESUMED -> check(row, !ending, "of a run that ends");
      case RUN_ENDED -> ended(row);
      case RUN_REDRIVEN -> redriven(row);
      case STEP_SCHEDULED, STEP_WAITING -> began(row);
      case STEP_RETRYING, STEP_ANSWERED, STEP_NOTIFIED ->
          check(row, instance(row).ended == null, "is of a step that has ended");
      case LATE_ANSWER -> {
        check(row, instance(row).open, "is of a step of which no answer is awaited");
        instance(row).open = false;
        undoable(row);
      }
      case STEP_COMPLETED, STEP_FAILED, STEP_TIMED_OUT, STEP_CANCELED, STEP_SKIPPED ->
          stepEnded(row);
    }
  }

  private Instance instance(HistoryRow row) {
    Instance found = instances.get(row.instance());
    if (found == null) {
      check(row, false, "is of a step that did not begin");
      return new Instance(row);
    }
    return found;
  }

  private void allow(int scope, boolean handler, Block block) {
    Line line = new Line(handler);
    line.allowed.add(block.first());
    lines.put(scope, line);
  }

  private void began(HistoryRow row) {
    int scope = row.place().scope();
    int step = Objects.requireNonNull(row.place().step());
    RowInfo info = row.info();
    Instance instance = new Instance(row);
    instances.put(row.seq(), instance);
    JsonNode request = info.node(Detail.REQUEST);
    if (request != null) {
      check(
          row, keys.add(request.get("key").asString()), "has the idempotency key of another visit");
    }
    if (info.has(Detail.UNDOES) || info.has(Detail.FINALLY)) {
      handler(row, scope, instance);
      return;
    }
    check(row, !ending, "begins in a run that ends");
    Integer key = info.number(Detail.OF);
    if (key != null && !lines.containsKey(scope)) {
      opened(row, scope, key, Objects.requireNonNull(info.number(Detail.ITEM)));
    }
    Line line = lines.get(scope);
    if (line == null) {
      check(row, false, "is in a scope that was not opened");
      return;
    }
    check(row, line.live == null, "begins while another step of its scope is live");
    check(row, line.allowed.contains(step), "begins although it is not next");
    line.allowed.clear();
    line.live = instance;
  }

  private void opened(HistoryRow row, int scope, int key, int item) {
    Instance parent = instances.get(key);
    check(row, parent != null, "is of a step that did not begin");
    if (parent == null) {
      return;
    }
    Step step = definition.step(Objects.requireNonNull(parent.began.place().step()));
    Block block =
        step instanceof Step.Parallel parallel
            ? parallel.branches().get(item).block()
            : ((Step.MapItems) step).block();
    allow(scope, false, block);
    Objects.requireNonNull(lines.get(scope)).key = key;
    Objects.requireNonNull(lines.get(scope)).item = item;
    Set<Integer> open = openItems.computeIfAbsent(key, _ -> new HashSet<>());
    check(row, open.add(item), "begins an item again");
    check(
        row,
        !results.getOrDefault(key, Set.of()).contains(item),
        "begins an item that has a result");
    if (step instanceof Step.MapItems map) {
      check(row, open.size() <= map.concurrency(), "begins more items than max_concurrency");
    }
  }

  private void handler(HistoryRow row, int scope, Instance instance) {
    check(row, ending, "is of a handler, but the run does not end");
    for (Map.Entry<Integer, Instance> each : instances.entrySet()) {
      Instance other = each.getValue();
      check(
          row,
          other == instance || (other.ended != null && !other.open),
          "of a handler begins while step " + each.getKey() + " is in flight");
    }
    Line line = new Line(true);
    line.live = instance;
    check(row, lines.put(scope, line) == null, "of a handler is in a scope that exists");
    Integer undoes = row.info().number(Detail.UNDOES);
    if (undoes == null) {
      check(row, !finallyRan, "is finally again");
      finallyRan = true;
      return;
    }
    check(row, !finallyRan, "compensates after finally");
    check(row, compensates, "compensates a run that completes");
    check(row, undoes < undone, "does not compensate in reverse order");
    check(row, undoable.remove(undoes) != null, "compensates what was not done, or again");
    undone = undoes;
  }

  private void stepEnded(HistoryRow row) {
    Instance instance = instance(row);
    check(row, instance.ended == null, "ends a step again");
    instance.ended = row;
    instance.open = row.info().has(Detail.OPEN);
    undoable(row);
    Line line = lines.get(row.place().scope());
    boolean dropped =
        row.kind() == HistoryKind.STEP_CANCELED || row.kind() == HistoryKind.STEP_SKIPPED;
    if (line == null || line.live != instance) {
      check(row, dropped, "is of a scope that has ended");
      return;
    }
    line.live = null;
    if (dropped) {
      line.allowed.add(Objects.requireNonNull(instance.began.place().step()));
      return;
    }
    check(row, !ending || line.handler, "has a result in a run that ends");
    if (row.kind() == HistoryKind.STEP_COMPLETED) {
      complete(row, instance);
    }
    if (row.next() != null) {
      line.allowed.add(row.next());
    } else if (row.join() != null) {
      check(row, line.key == row.join().key(), "joins another step");
      check(row, line.item == row.join().item(), "is the result of another item");
      check(
          row,
          results.computeIfAbsent(row.join().key(), _ -> new HashSet<>()).add(row.join().item()),
          "joins a result again");
      Objects.requireNonNull(openItems.get(row.join().key())).remove(row.join().item());
      lines.remove(row.place().scope());
    }
  }

  /** A parallel or map step completes with all its results. */
  private void complete(HistoryRow row, Instance instance) {
    RowInfo info = instance.began.info();
    Integer count = info.number(Detail.COUNT);
    if (count != null) {
      Integer key = info.number(Detail.KEY);
      int joined = results.getOrDefault(key == null ? instance.began.seq() : key, Set.of()).size();
      check(row, joined == count, "joins " + joined + " of " + count + " results");
    }
  }

  private void undoable(HistoryRow row) {
    if (row.undo() != null) {
      check(row, row.seq() > undoneBefore, "was compensated before");
      undoable.put(row.seq(), row);
    }
  }

  private void ended(HistoryRow row) {
    check(row, ending, "ends a run without a decision");
    instances.forEach(
        (seq, instance) -> {
          check(row, instance.ended != null, "leaves step " + seq + " without an end");
          check(row, !instance.open, "leaves an answer of step " + seq + " open");
        });
    if (compensates) {
      check(row, undoable.isEmpty(), "leaves rows " + undoable.keySet() + " uncompensated");
    }
    check(row, finallyRan || definition.finallyStep() == null, "ends a run without finally");
    ended = true;
  }

  private void redriven(HistoryRow row) {
    check(row, ended, "continues a run that has not ended");
    ended = false;
    ending = false;
    keys.clear();
    if (undone != Integer.MAX_VALUE) {
      undoneBefore = row.seq();
      undoable.clear();
    }
    undone = Integer.MAX_VALUE;
    int from = Objects.requireNonNull(row.info().number(Detail.FROM));
    boolean keeps = !row.info().has(Detail.BARE);
    Map<Integer, Line> kept = new HashMap<>();
    lines.forEach(
        (scope, line) -> {
          if (scope == 0 || (keeps && !line.handler)) {
            kept.put(scope, line);
          }
        });
    lines.clear();
    lines.putAll(kept);
    lines.values().forEach(this::again);
    Line main = Objects.requireNonNull(lines.get(0));
    main.allowed.clear();
    main.allowed.add(from);
  }

  /** A scope that failed may begin the step again with which it failed. */
  private void again(Line line) {
    if (line.allowed.isEmpty()) {
      instances.values().stream()
          .filter(
              instance ->
                  instance.ended != null
                      && instance.ended.next() == null
                      && lines.get(instance.began.place().scope()) == line)
          .max(Comparator.comparingInt(instance -> instance.began.seq()))
          .ifPresent(last -> line.allowed.add(Objects.requireNonNull(last.began.place().step())));
    }
  }
}
