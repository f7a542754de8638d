package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.Common;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.HistoryRow.Joins;
import dev.postrider.workflow.machine.HistoryRow.Place;
import dev.postrider.workflow.machine.HistoryRow.Values;
import dev.postrider.workflow.machine.RowInfo.Detail;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Past;
import dev.postrider.workflow.machine.RunState.Role;
import dev.postrider.workflow.machine.RunState.Scope;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A transition in progress: the fold, the rows and effects so far, and access to values,
 * expressions and limits. Whatever may fail is done before the rows that depend on it are appended.
 */
final class Work {
  private static final int MAX_KEY = 255;

  final Definition definition;
  final Facts facts;
  final Fold fold;
  final long nowMs;
  final List<RunEffect> effects = new ArrayList<>();

  private final int committed;
  private final List<HistoryRow> rows = new ArrayList<>();

  /** Whether there is more to do at once, in another transition. */
  boolean more;

  /** Whether an expression found no thread. */
  boolean busy;

  Work(Definition definition, RunState state, Facts facts) {
    this.definition = definition;
    this.facts = facts;
    this.fold = new Fold(definition, state);
    this.committed = state.head().seq();
    this.nowMs = facts.nowMs();
  }

  /** No thread for an expression: what is being done is done later. */
  static final class NoThread extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;

    NoThread() {
      super(null, null, false, false);
    }
  }

  /** The step, or the start of the run, fails with this error. */
  static final class Failure extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;

    private final transient StepError error;

    Failure(ErrorClass type, String message) {
      super(message, null, false, false);
      this.error = StepError.of(type, message);
    }

    StepError error() {
      return error;
    }
  }

  /** A row of the run's history, before its number, time and status are known. */
  final class Draft {
    private final HistoryKind kind;
    private final Place place;
    private final RowInfo.Builder info = new RowInfo.Builder();
    private @Nullable Integer next;
    private @Nullable Id call;
    private @Nullable Joins join;
    private @Nullable Integer undo;
    private Values values = Values.NONE;

    private Draft(HistoryKind kind, Place place) {
      this.kind = kind;
      this.place = place;
    }

    Draft next(@Nullable Integer step) {
      next = step;
      return this;
    }

    Draft call(@Nullable Id id) {
      call = id;
      return this;
    }

    Draft join(@Nullable Joins ended) {
      join = ended;
      return this;
    }

    Draft undo(@Nullable Integer handler) {
      undo = handler;
      return this;
    }

    Draft value(@Nullable JsonValue value) {
      values = Values.of(value);
      return this;
    }

    Draft data(JsonValue data) {
      values = new Values(values.value(), data, null);
      return this;
    }

    /** The data is that of this row, whatever the value of this one is. */
    Draft dataFrom(int seq) {
      values = new Values(values.value(), values.data(), seq);
      return this;
    }

    Draft values(Values of) {
      values = of;
      return this;
    }

    RowInfo.Builder info() {
      return info;
    }

    Draft mark(Detail detail) {
      info.mark(detail);
      return this;
    }

    /** Appends the row. */
    int append() {
      HistoryRow row =
          new HistoryRow(
              nextSeq(),
              kind,
              nowMs,
              RunStatus.RUNNING,
              place,
              next,
              call,
              join,
              undo,
              values,
              info.build());
      rows.add(row.withStatus(fold.apply(row)));
      return row.seq();
    }
  }

  Draft row(HistoryKind kind) {
    return new Draft(kind, Place.RUN);
  }

  /** A row about a step that has begun. */
  Draft row(HistoryKind kind, LiveStep step) {
    return new Draft(kind, new Place(step.scope(), step.step(), step.seq(), null));
  }

  Draft begin(HistoryKind kind, Scope scope, int step) {
    Past past = scope.past().get(step);
    int visit = past == null ? 1 : past.visits() + 1;
    Draft draft = new Draft(kind, new Place(scope.id(), step, null, visit));
    int keyVisit = past == null ? 1 : past.nextKeyVisit();
    if (keyVisit != visit) {
      draft.info.put(Detail.KEY_VISIT, keyVisit);
    }
    if (scope.joins() && scope.past().isEmpty()) {
      draft.info.put(Detail.OF, scope.key());
      draft.info.put(Detail.ITEM, scope.item());
    }
    return draft;
  }

  int nextSeq() {
    return fold.head().seq() + 1;
  }

  /** Whether a row after this one ended the step. */
  boolean endedSince(int began, int committedSeq) {
    return rows.stream()
        .anyMatch(
            row ->
                row.seq() > committedSeq && row.instance() == began && row.info().has(Detail.OPEN));
  }

  List<HistoryRow> rows() {
    return rows;
  }

  boolean isFull() {
    return rows.size() >= facts.limits().rowsOfTransition();
  }

  // Values

  JsonValue value(ValueRef ref) {
    if (ref.seq() <= committed) {
      return facts.value(ref);
    }
    Values values = rows.get(ref.seq() - committed - 1).values();
    @Nullable JsonValue whole =
        ref.part() == ValueRef.Part.DATA && values.data() != null ? values.data() : values.value();
    if (whole == null) {
      return JsonValue.NULL;
    }
    return ref.item() == null ? whole : whole.item(ref.item());
  }

  /** The value, if it is not larger than the limit. */
  JsonValue limited(JsonValue value, String what) {
    int limit = facts.limits().dataBytes();
    if (value.size() > limit) {
      throw new Failure(
          ErrorClass.TOO_LARGE,
          "%s has %d bytes; at most %d are allowed".formatted(what, value.size(), limit));
    }
    return value;
  }

  /** All results of this key. */
  List<Facts.Joined> joined(int key) {
    List<Facts.Joined> all = new ArrayList<>(facts.joined(key));
    for (HistoryRow row : rows) {
      if (row.join() != null && row.join().key() == key) {
        all.add(new Facts.Joined(row.join().item(), value(ValueRef.data(row.seq()))));
      }
    }
    return all;
  }

  Facts.@Nullable Undoable lastUndo() {
    int after = fold.undo().after();
    int before = fold.undo().before();
    for (int i = rows.size() - 1; i >= 0; i--) {
      HistoryRow row = rows.get(i);
      if (row.undo() != null && row.seq() > after && row.seq() < before) {
        return new Facts.Undoable(row.seq(), row.instance(), row.undo(), row.dataAfter());
      }
    }
    return facts.lastUndo(after, before);
  }

  // Expressions

  JsonValue evaluate(String expression, JsonValue context, Scope scope) {
    return limited(evaluated(expression, context, scope, null).value(), "the value");
  }

  JsonValue evaluate(String expression, JsonValue context, Scope scope, JsonValue result) {
    return limited(evaluated(expression, context, scope, result).value(), "the value");
  }

  boolean isTrue(String expression, JsonValue context, Scope scope) {
    return evaluated(expression, context, scope, null).truth();
  }

  private Facts.Evaluated.Result evaluated(
      String expression, JsonValue context, Scope scope, @Nullable JsonValue result) {
    return switch (facts.evaluate(expression, context, new ScopeVariables(this, scope, result))) {
      case Facts.Evaluated.Result value -> value;
      case Facts.Evaluated.Failed failed ->
          throw new Failure(ErrorClass.EXPRESSION, failed.message());
      case Facts.Evaluated.Busy _ -> throw new NoThread();
    };
  }

  /** The value of {@code input}; null: the data. */
  @Nullable JsonValue input(Common common, Scope scope) {
    return common.input() == null ? null : evaluate(common.input(), value(scope.data()), scope);
  }

  JsonValue orData(@Nullable JsonValue input, Scope scope) {
    return input == null ? value(scope.data()) : input;
  }

  /** What a row that begins a step has as its input. */
  static Values inputOrData(@Nullable JsonValue input, ValueRef data) {
    return input == null && data.item() == null
        ? new Values(null, null, data.seq())
        : Values.of(input);
  }

  /** Where the input of a child is. */
  ValueRef inputOf(LiveStep live) {
    boolean stored = step(live).common().input() != null || live.data().item() != null;
    return stored ? ValueRef.data(live.seq()) : live.data();
  }

  // Steps

  LiveStep live(int seq) {
    return Objects.requireNonNull(fold.live().get(seq), "a step that is live");
  }

  Step step(LiveStep live) {
    return definition.step(live.step());
  }

  Scope scope(LiveStep live) {
    return fold.scope(live.scope());
  }

  /** When a step that begins now times out; a handler not later than all compensation. */
  long dueMs(Scope scope, @Nullable Duration timeout) {
    long own = timeout == null ? Long.MAX_VALUE : nowMs + timeout.toMillis();
    return switch (scope.role()) {
      case RUN, BRANCH, ITEM -> own;
      case UNDO ->
          Math.min(
              own,
              fold.undo().dueMs() == Long.MAX_VALUE
                  ? nowMs + definition.compensationTimeout().toMillis()
                  : fold.undo().dueMs());
      case FINALLY -> Math.min(own, nowMs + definition.compensationTimeout().toMillis());
    };
  }

  /**
   * The same for all attempts of a visit of a step, and for no other: run, path of the step, visit.
   */
  String key(Scope scope, int step) {
    Past past = scope.past().get(step);
    String key =
        "%s/%s%s/%d"
            .formatted(
                facts.run().runId().text(IdKind.RUN),
                path(scope),
                definition.step(step).name(),
                past == null ? 1 : past.nextKeyVisit());
    return key.length() <= MAX_KEY ? key : key.substring(0, MAX_KEY - 65) + "/" + hash(key);
  }

  private String path(Scope scope) {
    return switch (scope.role()) {
      case RUN -> "";
      case UNDO -> "undo." + scope.item() + "/";
      case FINALLY -> "finally." + fold.head().epoch() + "/";
      case BRANCH, ITEM -> {
        Scope outer = fold.scope(scope.outer());
        LiveStep parent = Objects.requireNonNull(fold.liveIn(outer.id()));
        Past past = Objects.requireNonNull(outer.past().get(parent.step()));
        yield "%s%s.%d/%d/"
            .formatted(path(outer), step(parent).name(), past.keyVisit(), scope.item());
      }
    };
  }

  static String hash(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** {@code $run}. */
  Map<String, @Nullable Object> runVariable() {
    RunContext run = facts.run();
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("id", run.runId().text(IdKind.RUN));
    values.put("workflow", definition.name());
    values.put("version", definition.number());
    values.put("key", run.key());
    values.put(
        "started_at",
        Instant.ofEpochMilli(fold.head().seq() == 0 ? nowMs : fold.head().startedAtMs())
            .toString());
    return values;
  }

  static boolean isHandler(Scope scope) {
    return scope.role() == Role.UNDO || scope.role() == Role.FINALLY;
  }
}
