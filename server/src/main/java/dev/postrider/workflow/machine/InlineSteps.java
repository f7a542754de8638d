package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.RowInfo.Detail;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Scope;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Steps that end in the transition in which they begin. */
final class InlineSteps {
  private final Work work;
  private final StepEnds ends;

  InlineSteps(Work work, StepEnds ends) {
    this.work = work;
    this.ends = ends;
  }

  void choice(Scope scope, Step.Choice step, Consumer<RowInfo.Builder> details) {
    StepEnds.Done done;
    Integer next;
    try {
      next = chosen(scope, step);
      done = ends.done(step.common(), scope, scope.data(), null);
    } catch (Work.Failure e) {
      fail(scope, step, details, e.error());
      return;
    }
    ends.completed(begin(scope, step, details, null), done, next, false);
  }

  private Integer chosen(Scope scope, Step.Choice step) {
    JsonValue data = work.value(scope.data());
    for (Step.Choice.Option option : step.options()) {
      if (work.isTrue(option.when(), data, scope)) {
        return option.next();
      }
    }
    if (step.otherwise() == null) {
      throw new Work.Failure(
          ErrorClass.EXPRESSION, "none of the choices is true, and there is no default");
    }
    return step.otherwise();
  }

  void transform(Scope scope, Step.Transform step, Consumer<RowInfo.Builder> details) {
    JsonValue input = null;
    StepEnds.Done done;
    try {
      input = work.input(step.common(), scope);
      JsonValue result = work.evaluate(step.expression(), work.orData(input, scope), scope);
      done = ends.done(step.common(), scope, scope.data(), result);
    } catch (Work.Failure e) {
      fail(scope, step, details, e.error());
      return;
    }
    ends.completed(begin(scope, step, details, input), done);
  }

  void succeed(Scope scope, Step.Succeed step, Consumer<RowInfo.Builder> details) {
    StepEnds.Done done;
    try {
      done = ends.done(step.common(), scope, scope.data(), null);
    } catch (Work.Failure e) {
      fail(scope, step, details, e.error());
      return;
    }
    ends.completed(begin(scope, step, details, null), done, null, false);
  }

  void fail(Scope scope, Step.Fail step, Consumer<RowInfo.Builder> details) {
    String message = step.message() == null ? "the step failed the run" : step.message();
    fail(
        scope,
        step,
        details,
        new StepError(step.error(), message, null, 0, null, null, null, null));
  }

  void send(Scope scope, Step.Send step, Consumer<RowInfo.Builder> details) {
    JsonValue payload;
    StepEnds.Done done;
    Id id = messageId(work.key(scope, step.number()), work.nowMs);
    try {
      JsonValue input = work.input(step.common(), scope);
      JsonValue context = work.orData(input, scope);
      payload = step.payload() == null ? context : work.evaluate(step.payload(), context, scope);
      String eventId =
          step.eventId() == null ? null : eventId(work.evaluate(step.eventId(), context, scope));
      done =
          ends.done(
              step.common(),
              scope,
              scope.data(),
              JsonValue.ofObject(Map.of("id", id.text(IdKind.MESSAGE))));
      publish(step, payload, eventId, id);
    } catch (Work.Failure e) {
      fail(scope, step, details, e.error());
      return;
    }
    LiveStep live =
        begin(
            scope,
            step,
            info -> {
              details.accept(info);
              info.put(Detail.MESSAGE, id.text(IdKind.MESSAGE));
            },
            payload);
    work.effects.add(new RunEffect.Publish(live.seq(), id));
    ends.completed(live, done);
  }

  private static @Nullable String eventId(JsonValue value) {
    if (value.isNull()) {
      return null;
    }
    if (value.tree().isString() || value.tree().isNumber()) {
      return value.tree().asString();
    }
    throw new Work.Failure(ErrorClass.EXPRESSION, "event_id must be a string or a number");
  }

  private void publish(Step.Send step, JsonValue payload, @Nullable String eventId, Id id) {
    int causation = work.facts.run().causation() + 1;
    if (causation > RunContext.MAX_DEPTH) {
      throw new Work.Failure(
          ErrorClass.LIMIT,
          "more than %d messages of workflows, each starting a run, led to this one"
              .formatted(RunContext.MAX_DEPTH));
    }
    String refused =
        work.facts.publication(
            new RunEffect.Outgoing(
                step.application(),
                step.eventType(),
                eventId,
                step.channels(),
                step.tags(),
                payload,
                causation),
            id);
    if (refused != null) {
      throw new Work.Failure(ErrorClass.REJECTED, refused);
    }
  }

  /** The time of the row, and a hash of the visit: the same message is not published twice. */
  private static Id messageId(String key, long nowMs) {
    byte[] hash = HexFormat.of().parseHex(Work.hash(key));
    Id random = Id.at(hash, 0);
    return new Id(Id.floorOf(nowMs).hi() | (random.hi() & 0xFF_FFFFL), random.lo());
  }

  private void fail(Scope scope, Step step, Consumer<RowInfo.Builder> details, StepError error) {
    ends.failed(begin(scope, step, details, null), StepEnds.Failed.of(error));
  }

  /** The row of a step that begins. */
  LiveStep begin(
      Scope scope, Step step, Consumer<RowInfo.Builder> details, @Nullable JsonValue input) {
    Work.Draft row = work.begin(HistoryKind.STEP_SCHEDULED, scope, step.number());
    details.accept(row.info());
    int seq = row.values(Work.inputOrData(input, scope.data())).append();
    return work.live(seq);
  }
}
