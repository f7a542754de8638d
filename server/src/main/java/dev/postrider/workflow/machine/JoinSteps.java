package dev.postrider.workflow.machine;

import dev.postrider.json.Json;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.RowInfo.Detail;
import dev.postrider.workflow.machine.RunState.Join;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Parallel and map steps: their branches or items, the results of these, the first failure. */
final class JoinSteps {
  private final Work work;
  private final StepEnds ends;

  JoinSteps(Work work, StepEnds ends) {
    this.work = work;
    this.ends = ends;
  }

  void parallel(Scope scope, Step.Parallel step) {
    if (scope.kept() != null) {
      continueWith(scope, step, step.timeout(), scope.kept());
      return;
    }
    try {
      JsonValue input = work.input(step.common(), scope);
      begin(scope, step, step.timeout(), input, step.branches().size());
    } catch (Work.Failure e) {
      failAtOnce(scope, step, e.error());
    }
  }

  void map(Scope scope, Step.MapItems step) {
    if (scope.kept() != null) {
      continueWith(scope, step, step.timeout(), scope.kept());
      return;
    }
    try {
      JsonValue input = work.input(step.common(), scope);
      JsonValue items = work.evaluate(step.items(), work.orData(input, scope), scope);
      begin(scope, step, step.timeout(), items, count(items));
    } catch (Work.Failure e) {
      failAtOnce(scope, step, e.error());
    }
  }

  private int count(JsonValue items) {
    JsonNode array = items.tree();
    if (!array.isArray()) {
      throw new Work.Failure(ErrorClass.EXPRESSION, "items must be an array");
    }
    int limit = work.facts.limits().items();
    if (array.size() > limit) {
      throw new Work.Failure(
          ErrorClass.LIMIT,
          "items has %d items; at most %d are allowed".formatted(array.size(), limit));
    }
    return array.size();
  }

  private void begin(
      Scope scope, Step step, @Nullable Duration timeout, @Nullable JsonValue value, int count) {
    Work.Draft row = work.begin(HistoryKind.STEP_WAITING, scope, step.number());
    row.info().put(Detail.COUNT, count);
    due(row, scope, timeout);
    row.values(Work.inputOrData(value, scope.data())).append();
  }

  /** After a redrive: what was completed is kept, and the others continue where they stopped. */
  private void continueWith(Scope scope, Step step, @Nullable Duration timeout, Join kept) {
    Work.Draft row = work.begin(HistoryKind.STEP_WAITING, scope, step.number());
    row.info().put(Detail.COUNT, kept.count()).put(Detail.KEY, kept.key());
    due(row, scope, timeout);
    row.values(Work.inputOrData(null, scope.data())).append();
  }

  private void due(Work.Draft row, Scope scope, @Nullable Duration timeout) {
    long due = work.dueMs(scope, timeout);
    if (due != Long.MAX_VALUE) {
      row.info().put(Detail.DUE, due);
    }
  }

  private void failAtOnce(Scope scope, Step step, StepError error) {
    Work.Draft row = work.begin(HistoryKind.STEP_WAITING, scope, step.number());
    int seq = row.values(Work.inputOrData(null, scope.data())).append();
    ends.failed(work.live(seq), StepEnds.Failed.of(error));
  }

  /** Ends the steps whose branches or items have all ended, or of which one failed. */
  boolean endOne() {
    for (LiveStep live : work.fold.live().values()) {
      Join join = live.join();
      if (join == null || live.givenUp()) {
        continue;
      }
      if (join.failed()) {
        failed(live, join);
        return true;
      }
      if (join.bytes() > work.facts.limits().dataBytes()) {
        ends.failed(
            live,
            StepEnds.Failed.of(
                StepError.of(
                    ErrorClass.TOO_LARGE,
                    "the results are larger than %d bytes"
                        .formatted(work.facts.limits().dataBytes()))));
        return true;
      }
      if (join.isComplete() && completed(live, join)) {
        return true;
      }
    }
    return false;
  }

  private boolean completed(LiveStep live, Join join) {
    Step step = work.step(live);
    StepEnds.Done done;
    try {
      done = ends.done(step.common(), work.scope(live), live.data(), joined(step, join));
    } catch (Work.Failure e) {
      ends.failed(live, StepEnds.Failed.of(e.error()));
      return true;
    } catch (Work.NoThread e) {
      work.busy = true;
      return false;
    }
    ends.completed(live, done);
    return true;
  }

  private JsonValue joined(Step step, Join join) {
    List<@Nullable JsonValue> results =
        new ArrayList<>(Collections.nCopies(join.count(), (JsonValue) null));
    work.joined(join.key()).forEach(each -> results.set(each.item(), each.value()));
    if (step instanceof Step.Parallel parallel) {
      ObjectNode object = Json.MAPPER.createObjectNode();
      for (int i = 0; i < results.size(); i++) {
        object.set(parallel.branches().get(i).name(), tree(results.get(i)));
      }
      return JsonValue.of(object);
    }
    ArrayNode array = Json.MAPPER.createArrayNode();
    results.forEach(each -> array.add(tree(each)));
    return JsonValue.of(array);
  }

  private static JsonNode tree(@Nullable JsonValue value) {
    return Objects.requireNonNull(value, "a result of each branch or item").tree();
  }

  /** The error of the first branch or item that failed is that of the step. */
  private void failed(LiveStep live, Join join) {
    Scope scope = firstFailed(live, join);
    int seq =
        Objects.requireNonNull(
                scope.past().get(Objects.requireNonNull(scope.stopped())), "a step that failed")
            .ended();
    StepError error = StepError.read(work.value(ValueRef.value(seq)));
    ends.failed(
        live,
        StepEnds.Failed.of(
            work.step(live) instanceof Step.Parallel parallel
                ? error.inBranch(parallel.branches().get(scope.item()).name())
                : error.inItem(scope.item())));
  }

  private Scope firstFailed(LiveStep live, Join join) {
    Scope first = null;
    int firstSeq = Integer.MAX_VALUE;
    for (Scope scope : work.fold.scopes().values()) {
      if (scope.joins()
          && scope.outer() == live.scope()
          && scope.key() == join.key()
          && scope.stopped() != null) {
        int seq = Objects.requireNonNull(scope.past().get(scope.stopped())).ended();
        if (seq > 0 && seq < firstSeq) {
          first = scope;
          firstSeq = seq;
        }
      }
    }
    return Objects.requireNonNull(first, "a branch or item that failed");
  }
}
