package dev.postrider.workflow.loop;

import dev.postrider.id.Id;
import dev.postrider.message.MessagePublisher;
import dev.postrider.message.NewStepCall;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepCalls;
import dev.postrider.storage.BatchQueue;
import dev.postrider.workflow.machine.HistoryKind;
import dev.postrider.workflow.machine.HistoryRow;
import dev.postrider.workflow.machine.RowInfo;
import dev.postrider.workflow.machine.Transition;
import dev.postrider.workflow.store.CallbackStore;
import dev.postrider.workflow.store.HistoryStore;
import dev.postrider.workflow.store.InboxStore;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.RunStore;
import dev.postrider.workflow.store.StoredRun;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A decided transition with all that its transaction writes. All ids are fixed. */
final class RunChange implements BatchQueue.Sized {
  /** A child to give up. */
  record CanceledChild(Id messageId, Id child, int seq) {}

  /** The result of a commit. */
  sealed interface Result {
    /**
     * @param settled the withdrawn requests; of this and other runs
     */
    record Committed(StepCalls.Settled settled) implements Result {}

    /** Another transition of the run was committed since it was read. */
    record Conflict() implements Result {}

    /** The leases of these answers have ended, so they are of no effect. */
    record LeasesLost(List<Id> calls) implements Result {}

    record Failed(RuntimeException fault) implements Result {}
  }

  final StoredRun before;
  final @Nullable Id versionId;
  final Transition transition;
  final Id commitId;

  /** Whether the run is deleted, because its filter was false. */
  boolean discarded;

  final List<StepCalls.End> ends = new ArrayList<>();
  final List<StepCall> withdrawn = new ArrayList<>();
  final List<NewStepCall> calls = new ArrayList<>();
  final List<CallbackStore.Open> opened = new ArrayList<>();
  final List<Integer> closed = new ArrayList<>();
  final List<RunStore.NewRun> children = new ArrayList<>();
  final List<CanceledChild> canceledChildren = new ArrayList<>();
  final List<InboxStore.Message> sent = new ArrayList<>();
  final List<Id> received = new ArrayList<>();
  final List<MessagePublisher.Publication> publications = new ArrayList<>();
  final CompletableFuture<Result> result = new CompletableFuture<>();

  RunChange(StoredRun before, @Nullable Id versionId, Transition transition, Id commitId) {
    this.before = before;
    this.versionId = versionId;
    this.transition = transition;
    this.commitId = commitId;
  }

  RunRef ref() {
    return before.ref();
  }

  boolean hasRows() {
    return !transition.rows().isEmpty();
  }

  RunStore.Update update() {
    HistoryRow end = transition.rows().getLast();
    boolean ended = end.kind() == HistoryKind.RUN_ENDED;
    return new RunStore.Update(
        ref(),
        before.revision(),
        versionId,
        transition.after(),
        transition.dueAtMs(),
        ended ? end.info().text(RowInfo.Detail.REASON) : null,
        ended ? (Long) end.atMs() : null);
  }

  HistoryStore.Rows history() {
    return new HistoryStore.Rows(ref(), commitId, transition.rows());
  }

  /** The run after the commit. */
  StoredRun after() {
    Id version = versionId;
    return hasRows() && version != null
        ? before.with(version, transition.after())
        : before.withNextRevision();
  }

  @Override
  public int sizeInBytes() {
    int size = 1_000;
    for (HistoryRow row : transition.rows()) {
      size +=
          300
              + (row.values().value() == null ? 0 : row.values().value().size())
              + (row.values().data() == null ? 0 : row.values().data().size());
    }
    return size;
  }
}
