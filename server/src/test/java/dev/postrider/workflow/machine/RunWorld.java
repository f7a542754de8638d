package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.JsonBytes;
import dev.postrider.expression.Value;
import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.Definition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run in memory: its history, what it has outside (requests, callbacks, children) and a time
 * that tests move. Each transition is checked: its state is the fold of all rows, and the stored
 * state reads back.
 */
final class RunWorld implements Facts {
  static final long START = 1_800_000_000_000L;

  /** Evaluates an expression, in tests without threads. */
  interface Evaluation {
    Evaluated of(String expression, JsonValue context, Variables variables);
  }

  final Definition definition;
  final List<HistoryRow> rows = new ArrayList<>();

  /** Requests that are not over, by the rows of their steps. */
  final Map<Integer, RunEffect.Call> calls = new TreeMap<>();

  final Map<Integer, Long> retries = new TreeMap<>();
  final Set<Integer> tokens = new TreeSet<>();
  final Map<Integer, RunEffect.StartChild> children = new TreeMap<>();
  final Set<Id> canceledChildren = new LinkedHashSet<>();
  final List<RunEffect> effects = new ArrayList<>();
  final Set<Id> published = new LinkedHashSet<>();
  final TransitionLog log;

  RunState state = RunState.EMPTY;
  @Nullable Long dueAtMs;
  long nowMs = START;
  RunContext context = new RunContext(new Id(1, 1), new Id(2, 2), "key-1", null, false, null, 0, 0);
  Limits limits = Limits.DEFAULT;
  @Nullable String refusedPublication;
  List<String> schemaProblems = List.of();
  int busy;
  int evaluations;
  boolean replays = true;

  private final Evaluation evaluation;
  private final Random random;
  private long ids;

  RunWorld(Definition definition, Evaluation evaluation, long seed, TransitionLog log) {
    this.definition = definition;
    this.evaluation = evaluation;
    this.random = new Random(seed);
    this.log = log;
  }

  // What tests do

  RunWorld start(String input) {
    return on(new RunEvent.Started(JsonValue.ofJson(input)));
  }

  RunWorld on(RunEvent... events) {
    Transition transition = RunMachine.next(definition, state, Arrays.asList(events), this);
    commit(transition);
    return this;
  }

  /** Ticks while something is due now. */
  RunWorld settle() {
    for (int i = 0; i < 1_000 && dueAtMs != null && dueAtMs <= nowMs; i++) {
      on(new RunEvent.Tick());
    }
    return this;
  }

  RunWorld pass(long millis) {
    nowMs += millis;
    return on(new RunEvent.Tick()).settle();
  }

  RunWorld answer(String step, int status, String body) {
    return on(answered(live(step), status, body)).settle();
  }

  RunWorld ok(String step, String body) {
    return answer(step, 200, body);
  }

  static RunEvent answered(int seq, int status, String body) {
    return new RunEvent.Answered(
        seq,
        new Answer(
            Answer.Kind.ANSWERED,
            status,
            body.getBytes(StandardCharsets.UTF_8),
            false,
            0,
            null,
            null));
  }

  RunWorld answer(String step, Answer answer) {
    return on(new RunEvent.Answered(live(step), answer)).settle();
  }

  static Answer noAnswer(Answer.Kind kind, int failedBefore) {
    return new Answer(kind, null, new byte[0], false, failedBefore, null, "no answer");
  }

  /** The requests that the last transition gave up have this past. */
  RunWorld withdraw(RunEvent.Withdrawn.How how) {
    RunEffect.Withdraw last = null;
    for (RunEffect effect : effects) {
      last = effect instanceof RunEffect.Withdraw withdraw ? withdraw : last;
    }
    assertThat(last).as("requests that were given up").isNotNull();
    List<RunEvent> events = new ArrayList<>();
    new TreeMap<>(last.calls())
        .keySet()
        .forEach(seq -> events.add(new RunEvent.Withdrawn(seq, how)));
    if (how != RunEvent.Withdrawn.How.IN_FLIGHT) {
      last.calls().keySet().forEach(calls::remove);
    }
    return on(events.toArray(new RunEvent[0])).settle();
  }

  // What they look at

  /** The row with which the live step of this name began. */
  int live(String step) {
    List<Integer> found = all(step);
    assertThat(found).as("live steps named " + step + " in\n" + history()).hasSize(1);
    return found.getFirst();
  }

  List<Integer> all(String step) {
    return state.live().values().stream()
        .filter(live -> definition.step(live.step()).name().equals(step))
        .map(RunState.LiveStep::seq)
        .toList();
  }

  RunStatus status() {
    return state.head().status();
  }

  @Nullable HistoryRow last(HistoryKind kind) {
    HistoryRow found = null;
    for (HistoryRow row : rows) {
      found = row.kind() == kind ? row : found;
    }
    return found;
  }

  String output() {
    HistoryRow end = Objects.requireNonNull(last(HistoryKind.RUN_ENDED), history());
    return value(end.dataAfter()).json();
  }

  /** The error of the run. */
  StepError error() {
    return StepError.read(
        value(ValueRef.value(Objects.requireNonNull(state.head().errorSeq(), history()))));
  }

  /** The data of the run. */
  String data() {
    return value(Objects.requireNonNull(state.scopes().get(0)).data()).json();
  }

  /** Kinds and steps of all rows, one per line. */
  String history() {
    return rows.stream().map(this::line).collect(Collectors.joining("\n"));
  }

  /** The same without the rows of the run, as words. */
  List<String> steps() {
    return rows.stream()
        .filter(row -> row.place().step() != null)
        .map(
            row ->
                row.kind().text().substring(row.kind().text().indexOf('_') + 1) + " " + name(row))
        .toList();
  }

  private String line(HistoryRow row) {
    return "%d %s %s scope %d began %s next %s %s %s"
        .formatted(
            row.seq(),
            row.kind().text(),
            row.place().step() == null ? "" : name(row),
            row.place().scope(),
            row.place().began(),
            row.next(),
            row.runStatus().text(),
            row.info());
  }

  private String name(HistoryRow row) {
    return definition.step(Objects.requireNonNull(row.place().step())).name();
  }

  // Commit

  private void commit(Transition transition) {
    log.record(definition, state, transition.rows());
    rows.addAll(transition.rows());
    if (replays) {
      assertThat(RunState.replay(definition, rows)).isEqualTo(transition.after());
      assertThat(RunState.ofJson(transition.after().json())).isEqualTo(transition.after());
    }
    state = transition.after();
    dueAtMs = transition.dueAtMs();
    for (RunEffect effect : transition.effects()) {
      effects.add(effect);
      switch (effect) {
        case RunEffect.Call call -> {
          assertThat(value(call.body())).isNotNull();
          calls.put(call.seq(), call);
        }
        case RunEffect.Retry retry -> retries.put(retry.seq(), nowMs + retry.delayMs());
        case RunEffect.OpenCallback open -> assertThat(tokens.add(open.seq())).isTrue();
        case RunEffect.CloseCallback close -> tokens.remove(close.seq());
        case RunEffect.StartChild child -> children.put(child.seq(), child);
        case RunEffect.CancelChild child -> canceledChildren.add(child.child());
        case RunEffect.Publish publish -> published.add(publish.message());
        case RunEffect.Withdraw _, RunEffect.TellParent _, RunEffect.Discard _ -> {}
      }
    }
  }

  // Facts

  @Override
  public long nowMs() {
    return nowMs;
  }

  @Override
  public Id newId() {
    return new Id(nowMs << 16, ++ids);
  }

  @Override
  public double random() {
    return random.nextDouble();
  }

  @Override
  public RunContext run() {
    return context;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public String publicUrl() {
    return "https://hooks.example.com";
  }

  @Override
  public JsonValue value(ValueRef ref) {
    HistoryRow.Values values = rows.get(ref.seq() - 1).values();
    JsonValue whole =
        ref.part() == ValueRef.Part.DATA && values.data() != null ? values.data() : values.value();
    if (whole == null) {
      return JsonValue.NULL;
    }
    return ref.item() == null ? whole : whole.item(ref.item());
  }

  @Override
  public List<Joined> joined(int key) {
    List<Joined> found = new ArrayList<>();
    for (HistoryRow row : rows) {
      if (row.join() != null && row.join().key() == key) {
        found.add(new Joined(row.join().item(), value(ValueRef.data(row.seq()))));
      }
    }
    return found;
  }

  @Override
  public @Nullable Undoable lastUndo(int after, int before) {
    for (HistoryRow row : rows.reversed()) {
      if (row.undo() != null && row.seq() > after && row.seq() < before) {
        return new Undoable(row.seq(), row.instance(), row.undo(), row.dataAfter());
      }
    }
    return null;
  }

  @Override
  public Evaluated evaluate(String expression, JsonValue value, Variables variables) {
    evaluations++;
    if (busy > 0) {
      busy--;
      return new Evaluated.Busy();
    }
    return evaluation.of(expression, value, variables);
  }

  @Override
  public @Nullable String publication(RunEffect.Outgoing message, Id id) {
    return refusedPublication;
  }

  @Override
  public List<String> schemaProblems(JsonValue input) {
    return schemaProblems;
  }

  /** Evaluates with the real language. */
  static Evaluation with(Expressions expressions) {
    return (text, context, variables) -> {
      try {
        var value =
            expressions.evaluate(text, context.plain(), variables.of(expressions.names(text)));
        Object plain = value instanceof Value.Plain some ? some.value() : null;
        return new Evaluated.Result(
            JsonValue.ofBytes(JsonBytes.write(plain, 4_000_000)), value.isTrue());
      } catch (ExpressionFailed e) {
        return new Evaluated.Failed(String.valueOf(e.getMessage()));
      }
    };
  }
}
