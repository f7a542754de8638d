package dev.postrider.workflow.loop;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.message.MessagePublisher;
import dev.postrider.message.NewStepCall;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepCalls;
import dev.postrider.message.StepOrigin;
import dev.postrider.message.StepShape;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Request;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.HistoryRow;
import dev.postrider.workflow.machine.RunEffect;
import dev.postrider.workflow.machine.RunState;
import dev.postrider.workflow.machine.RunStatus;
import dev.postrider.workflow.machine.StepError;
import dev.postrider.workflow.machine.Transition;
import dev.postrider.workflow.store.InboxStore;
import dev.postrider.workflow.store.RunOrigin;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.RunStore;
import dev.postrider.workflow.store.StoredRun;
import dev.postrider.workflow.store.WorkflowStore;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Turns the effects of a transition into what its transaction writes. */
final class ChangeMaker {
  private final WorkflowStore workflows;
  private final CallbackTokens tokens;
  private final Ids ids;

  ChangeMaker(WorkflowStore workflows, CallbackTokens tokens, Ids ids) {
    this.workflows = workflows;
    this.tokens = tokens;
    this.ids = ids;
  }

  JsonValue input(StoredRun run) {
    byte[] input = run.input();
    return input == null ? JsonValue.NULL : JsonValue.ofBody(input);
  }

  RunChange of(
      StoredRun run,
      Definitions.Loaded loaded,
      Transition transition,
      List<Mailboxes.Item> items,
      StoredFacts facts) {
    RunChange change = new RunChange(run, loaded.definition().versionId(), transition, ids.next());
    Map<Integer, Long> retries = new HashMap<>();
    for (RunEffect effect : transition.effects()) {
      switch (effect) {
        case RunEffect.Call call -> change.calls.add(call(change, loaded, call, facts));
        case RunEffect.Retry retry -> retries.put(retry.seq(), retry.delayMs());
        case RunEffect.Withdraw withdraw ->
            withdraw
                .calls()
                .forEach((seq, id) -> change.withdrawn.add(withdrawn(change, loaded, seq, id)));
        case RunEffect.OpenCallback open ->
            change.opened.add(
                tokens.open(loaded.workflow(), run.ref(), open.seq(), open.expiresAtMs()));
        case RunEffect.CloseCallback close -> change.closed.add(close.seq());
        case RunEffect.StartChild child -> startChild(change, loaded, child, facts);
        case RunEffect.CancelChild child ->
            change.canceledChildren.add(
                new RunChange.CanceledChild(ids.next(), child.child(), child.seq()));
        case RunEffect.TellParent told -> tellParent(change, told);
        case RunEffect.Publish publish -> {
          MessagePublisher.Publication planned = facts.publications().get(publish.message());
          change.publications.add(Objects.requireNonNull(planned));
        }
        case RunEffect.Discard _ -> change.discarded = true;
      }
    }
    for (Mailboxes.Item item : items) {
      if (item.answer() != null) {
        int seq = item.answer().call().origin().seq();
        change.ends.add(new StepCalls.End(item.answer(), retries.get(seq)));
      }
      if (item.inboxId() != null) {
        change.received.add(item.inboxId());
      }
    }
    return change;
  }

  private NewStepCall call(
      RunChange change, Definitions.Loaded loaded, RunEffect.Call call, StoredFacts facts) {
    Map<String, String> headers = new LinkedHashMap<>(call.request().headers());
    headers.put("idempotency-key", call.request().key());
    return new NewStepCall(
        stepCall(change, loaded, call.seq(), call.id(), call.step()),
        value(change, call.body(), facts).bytes(),
        new StepShape(call.request().path(), headers).encode(),
        limits(loaded.definition().step(call.step())));
  }

  private static NewStepCall.Limits limits(Step step) {
    Request request =
        switch (step) {
          case Step.Http http -> http.request();
          case Step.Callback callback -> callback.request();
          case Step.Choice _,
              Step.Parallel _,
              Step.MapItems _,
              Step.Wait _,
              Step.Child _,
              Step.Send _,
              Step.Transform _,
              Step.Fail _,
              Step.Succeed _ ->
              null;
        };
    return request == null
        ? NewStepCall.Limits.NONE
        : new NewStepCall.Limits(
            request.limits().throttle() != null, request.limits().maxInFlight());
  }

  private static StepCall stepCall(
      RunChange change, Definitions.Loaded loaded, int seq, Id id, int step) {
    RunRef ref = change.ref();
    return new StepCall(
        ref.applicationId(),
        id,
        loaded.lane(step),
        new StepOrigin(
            ref.runId(),
            seq,
            change.transition.after().head().epoch(),
            loaded.definition().versionId(),
            step));
  }

  private StepCall withdrawn(RunChange change, Definitions.Loaded loaded, int seq, Id id) {
    return stepCall(change, loaded, seq, id, stepOf(change, seq));
  }

  private static int stepOf(RunChange change, int seq) {
    for (RunState state : List.of(change.transition.after(), change.before.state())) {
      RunState.LiveStep live = state.live().get(seq);
      live = live == null ? state.orphans().get(seq) : live;
      if (live != null) {
        return live.step();
      }
    }
    for (HistoryRow row : change.transition.rows()) {
      Integer step = row.place().step();
      if (row.seq() == seq && step != null) {
        return step;
      }
    }
    throw new IllegalStateException("no step began in row " + seq);
  }

  /** Of the rows that are written now, or of earlier ones. */
  private static JsonValue value(RunChange change, ValueRef ref, StoredFacts facts) {
    for (HistoryRow row : change.transition.rows()) {
      if (row.seq() == ref.seq()) {
        HistoryRow.Values values = row.values();
        JsonValue whole =
            ref.part() == ValueRef.Part.DATA && values.data() != null
                ? values.data()
                : values.value();
        JsonValue known = whole == null ? JsonValue.NULL : whole;
        Integer item = ref.item();
        return item == null ? known : known.item(item);
      }
    }
    return facts.value(ref);
  }

  private void startChild(
      RunChange change, Definitions.Loaded loaded, RunEffect.StartChild child, StoredFacts facts) {
    WorkflowStore.Workflow workflow =
        workflows.byName(loaded.workflow().environmentId(), child.workflow());
    if (workflow == null || !workflow.exists()) {
      change.sent.add(
          new InboxStore.Message(
              ids.next(),
              change.ref(),
              true,
              child.seq(),
              child.child(),
              RunStatus.FAILED,
              StepError.of(
                      ErrorClass.REJECTED,
                      "the workflow %s does not exist; create it, then redrive this run"
                          .formatted(child.workflow()))
                  .json()));
      return;
    }
    change.children.add(
        new RunStore.NewRun(
            new RunRef(workflow.applicationId(), child.child()),
            workflow.id(),
            RunStore.Cause.PARENT,
            null,
            null,
            RunOrigin.childOf(change.ref(), child.seq(), child.deadlineMs(), child.depth()),
            change.before.causation(),
            value(change, child.input(), facts).bytes(),
            child.startAtMs()));
  }

  private void tellParent(RunChange change, RunEffect.TellParent told) {
    RunOrigin.Parent parent = change.before.origin().parent();
    if (parent != null) {
      change.sent.add(
          new InboxStore.Message(
              ids.next(),
              parent.run(),
              true,
              parent.seq(),
              change.ref().runId(),
              told.status(),
              told.value()));
    }
  }
}
