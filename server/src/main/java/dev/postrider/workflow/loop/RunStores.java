package dev.postrider.workflow.loop;

import dev.postrider.workflow.store.CallbackStore;
import dev.postrider.workflow.store.HistoryStore;
import dev.postrider.workflow.store.InboxStore;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.RunStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** The rows of runs, as a commit writes them. */
record RunStores(RunStore runs, HistoryStore history, CallbackStore callbacks, InboxStore inbox) {

  /** Updates the runs by compare-and-set, in the order of the list; returns those that changed. */
  Set<RunChange> update(Handle handle, List<RunChange> changes) {
    Map<RunRef, RunChange> byRun = new HashMap<>();
    List<RunStore.Update> updates = new ArrayList<>();
    Set<RunChange> stale = new HashSet<>();
    for (RunChange change : changes) {
      byRun.put(change.ref(), change);
      if (change.hasRows()) {
        updates.add(change.update());
      } else if (!changeOnly(handle, change)) {
        stale.add(change);
      }
    }
    for (RunRef changed : runs.updateIfUnchanged(handle, updates)) {
      RunChange change = byRun.get(changed);
      if (change != null) {
        stale.add(change);
      }
    }
    return stale;
  }

  private boolean changeOnly(Handle handle, RunChange change) {
    int expected = change.before.revision();
    return change.discarded
        ? runs.deleteIfUnchanged(handle, change.ref(), expected)
        : runs.postponeIfUnchanged(handle, change.ref(), expected, change.transition.dueAtMs());
  }

  /** Appends the history, and writes what goes with it. */
  void append(Handle handle, List<RunChange> changes) {
    history.insert(handle, changes.stream().map(RunChange::history).toList());
    for (RunChange change : changes) {
      callbacks.insert(handle, change.opened);
      change.closed.forEach(seq -> callbacks.delete(handle, change.ref(), seq));
      change.children.forEach(child -> runs.insert(handle, child));
      change.sent.forEach(message -> inbox.insertEnded(handle, message));
      for (RunChange.CanceledChild child : change.canceledChildren) {
        inbox.insertCanceled(
            handle, child.messageId(), change.ref().runId(), child.child(), child.seq());
      }
      inbox.delete(handle, change.received);
    }
  }
}
