package dev.postrider.workflow.loop;

import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.JsonBytes;
import dev.postrider.expression.Value;
import dev.postrider.id.Id;
import dev.postrider.message.MessagePublisher;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.machine.Facts;
import dev.postrider.workflow.machine.RunContext;
import dev.postrider.workflow.machine.RunEffect;
import dev.postrider.workflow.store.RunOrigin;
import dev.postrider.workflow.store.StoredRun;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** What one transition of a run reads: its stored values, expressions, and the time. */
final class StoredFacts implements Facts {
  private final RunParts parts;
  private final Definitions.Loaded loaded;
  private final StoredRun run;
  private final Expressions expressions;
  private final long nowMs;
  private final Map<Id, MessagePublisher.Publication> publications = new HashMap<>();

  StoredFacts(RunParts parts, Definitions.Loaded loaded, StoredRun run) {
    this.parts = parts;
    this.loaded = loaded;
    this.run = run;
    this.expressions = parts.expressions().ownedBy(run.ref().applicationId());
    this.nowMs = parts.time().nowMs();
  }

  @Override
  public long nowMs() {
    return nowMs;
  }

  @Override
  public Id newId() {
    return parts.ids().next();
  }

  @Override
  public double random() {
    return ThreadLocalRandom.current().nextDouble();
  }

  @Override
  public RunContext run() {
    RunOrigin.Parent parent = run.origin().parent();
    return new RunContext(
        run.ref().applicationId(),
        run.ref().runId(),
        run.key(),
        run.origin().message(),
        parent != null,
        parent == null ? null : (Long) parent.deadlineMs(),
        parent == null ? 0 : parent.depth(),
        run.causation());
  }

  @Override
  public Limits limits() {
    return parts.limits();
  }

  @Override
  public String publicUrl() {
    return parts.publicUrl().get();
  }

  @Override
  public JsonValue value(ValueRef ref) {
    JsonValue whole = parts.values().get(run.ref(), ref.seq(), ref.part());
    if (whole == null) {
      whole = parts.history().value(run.ref(), ref.seq(), ref.part());
      parts.values().put(run.ref(), ref.seq(), ref.part(), whole);
    }
    Integer item = ref.item();
    return item == null ? whole : whole.item(item);
  }

  @Override
  public List<Joined> joined(int key) {
    return parts.history().joined(run.ref(), key);
  }

  @Override
  public @Nullable Undoable lastUndo(int after, int before) {
    return parts.history().lastUndo(run.ref(), after, before);
  }

  @Override
  public Evaluated evaluate(String expression, JsonValue context, Variables variables) {
    try {
      Value value =
          expressions.evaluate(
              expression, context.plain(), variables.of(expressions.names(expression)));
      return switch (value) {
        case Value.Absent _ -> new Evaluated.Result(JsonValue.NULL, false);
        case Value.Plain(Object plain) -> result(plain, value.isTrue());
        case Value.Cancel _ ->
            new Evaluated.Failed("$cancel() has no meaning in a workflow; use choice, or fail");
        case Value.Request _ ->
            new Evaluated.Failed(
                "$request() has no meaning in a workflow; use url, headers and body");
      };
    } catch (ExpressionFailed e) {
      return new Evaluated.Failed(String.valueOf(e.getMessage()));
    } catch (EvaluationBusy e) {
      return new Evaluated.Busy();
    }
  }

  /** Larger results are too large for any step; how large one may be, the machine checks. */
  private Evaluated result(@Nullable Object plain, boolean truth) {
    return new Evaluated.Result(
        JsonValue.ofBytes(JsonBytes.write(plain, 2 * parts.limits().dataBytes())), truth);
  }

  @Override
  public @Nullable String publication(RunEffect.Outgoing message, Id id) {
    return switch (parts.publications().plan(loaded.workflow().environmentId(), message, id)) {
      case MessagePublisher.Outcome.Planned(MessagePublisher.Publication publication) -> {
        publications.put(id, publication);
        yield null;
      }
      case MessagePublisher.Outcome.Rejected(String why) -> why;
    };
  }

  /** Those that were planned, by the ids of their messages. */
  Map<Id, MessagePublisher.Publication> publications() {
    return publications;
  }

  @Override
  public List<String> schemaProblems(JsonValue input) {
    return parts.schemas().problems(loaded.definition(), input);
  }
}
