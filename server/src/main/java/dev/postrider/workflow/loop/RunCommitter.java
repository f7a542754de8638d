package dev.postrider.workflow.loop;

import dev.postrider.id.Id;
import dev.postrider.message.NewStepCall;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepCalls;
import dev.postrider.storage.BatchQueue;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.Backoff;
import dev.postrider.time.TimeSource;
import dev.postrider.workflow.loop.RunChange.Result;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jdbi.v3.core.Handle;

/**
 * The thread that writes transitions, many in one transaction. What is not up to date is left out
 * and decided again; a commit whose result was lost is found by its id in the history.
 */
final class RunCommitter {
  /** Small, because on SQLite a transaction delays the accepts that wait for it. */
  static final int BATCH = 64;

  static final long BATCH_BYTES = 4L * 1024 * 1024;
  private static final Duration STOP_WITHIN = Duration.ofSeconds(10);
  private static final int RUNS_WHILE_STOPPING = 5;
  private static final Backoff WITHOUT_DATABASE = Backoff.ofMillis(100, 1_000);
  private static final Backoff AFTER_CONFLICT = Backoff.ofMillis(10, 100);
  private static final System.Logger LOG = System.getLogger(RunCommitter.class.getName());

  private final StepCalls steps;
  private final RunStores stores;
  private final Publications publications;
  private final TimeSource time;
  private final BatchQueue<RunChange> queue =
      new BatchQueue<>(Integer.MAX_VALUE, Long.MAX_VALUE); // bounded by the runs that decide
  private final Queue<Orphans> orphans = new ConcurrentLinkedQueue<>();
  private final List<RunChange> taken = new ArrayList<>();
  private final PeriodicLoop loop =
      new PeriodicLoop(
          "workflow-commit", this::turn, PeriodicLoop.Options.DEFAULT.endsWhen(this::nothingWaits));

  RunCommitter(StepCalls steps, RunStores stores, Publications publications, TimeSource time) {
    this.steps = steps;
    this.stores = stores;
    this.publications = publications;
    this.time = time;
  }

  void start() {
    loop.start();
  }

  /** Writes what was added, then stops. */
  void stop() {
    loop.requestStop();
    queue.wake();
    loop.stop(STOP_WITHIN);
  }

  /** What is left of a run that does not exist. */
  private record Orphans(List<StepCalls.End> ends, List<Id> inboxIds) {}

  private boolean nothingWaits() {
    return queue.isEmpty() && orphans.isEmpty();
  }

  /** The result of the commit; the change has been written when it is complete. */
  CompletableFuture<Result> add(RunChange change) {
    queue.add(change);
    return change.result;
  }

  /** Ends requests of runs that do not exist, and deletes messages to them. */
  void settle(List<StepCalls.End> ends, List<Id> inboxIds) {
    orphans.add(new Orphans(ends, inboxIds));
    queue.wake();
  }

  int waiting() {
    return queue.size();
  }

  private long turn() {
    taken.clear();
    queue.take(taken, BATCH, BATCH_BYTES, loop.isStopping() ? 5 : 500);
    for (Orphans next = orphans.poll(); next != null; next = orphans.poll()) {
      settle(next);
    }
    if (!taken.isEmpty()) {
      commit(List.copyOf(taken));
    }
    return 0;
  }

  private void settle(Orphans orphaned) {
    StepCalls.Batch none = steps.admit(List.of());
    StepCalls.Settled settled =
        steps
            .transactions()
            .write(
                handle -> {
                  stores.inbox().delete(handle, orphaned.inboxIds());
                  return steps.settle(handle, orphaned.ends(), List.of());
                });
    steps.committed(none, settled.ended().values());
  }

  private void commit(List<RunChange> changes) {
    List<RunChange> batch =
        changes.stream().sorted(Comparator.comparing(change -> change.ref().runId())).toList();
    List<NewStepCall> calls = new ArrayList<>();
    batch.forEach(change -> calls.addAll(change.calls));
    StepCalls.Batch admitted = steps.admit(calls);
    try {
      if (!new Commit(batch, admitted).run()) {
        steps.rolledBack(admitted);
      }
    } catch (RuntimeException e) {
      steps.rolledBack(admitted);
      split(batch.stream().filter(change -> !change.result.isDone()).toList(), e);
    } catch (Error e) {
      steps.rolledBack(admitted);
      batch.forEach(
          change -> change.result.complete(new Result.Failed(new IllegalStateException(e))));
      throw e;
    }
  }

  /** One transition that cannot be written must not hold up the others. */
  private void split(List<RunChange> batch, RuntimeException fault) {
    if (batch.size() > 1) {
      commit(batch.subList(0, batch.size() / 2));
      commit(batch.subList(batch.size() / 2, batch.size()));
      return;
    }
    if (batch.isEmpty()) {
      return;
    }
    RunChange change = batch.getFirst();
    LOG.log(Level.ERROR, "a transition of run " + change.ref().runId() + " failed", fault);
    giveUp(change);
    change.result.complete(new Result.Failed(fault));
  }

  private void giveUp(RunChange change) {
    change.publications.forEach(publications.publisher()::abandoned);
  }

  /** Some of the batch must not be written as they are. */
  private static final class NotUpToDate extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient Set<RunChange> changes;
    private final transient StepCalls.Settled settled;

    NotUpToDate(Set<RunChange> changes, StepCalls.Settled settled) {
      super("transitions are not up to date", null, false, false);
      this.changes = changes;
      this.settled = settled;
    }
  }

  /** The commit of one batch. */
  private final class Commit {
    private final StepCalls.Batch admitted;
    private List<RunChange> left;

    /** Those of the last run whose result was lost; it may have been committed. */
    private List<RunChange> doubtful = List.of();

    Commit(List<RunChange> batch, StepCalls.Batch admitted) {
      this.left = batch;
      this.admitted = admitted;
    }

    /** False if the instance stops without the database. */
    boolean run() {
      NotUpToDate stale = null;
      for (int run = 1; ; run++) {
        boolean writing = false;
        try {
          if (stale != null) {
            if (wasCommitted(stale.changes)) {
              left = doubtful;
              committed(assumed());
              return true;
            }
            leaveOut(stale);
            stale = null;
          }
          writing = true;
          committed(
              left.isEmpty() ? StepCalls.Settled.NOTHING : steps.transactions().write(this::write));
          return true;
        } catch (NotUpToDate e) {
          stale = e;
        } catch (DatabaseUnavailable e) {
          doubtful = writing ? left : doubtful;
          LOG.log(
              run == 1 ? Level.WARNING : Level.DEBUG,
              "transitions of workflows wait until the database is available: {0}",
              e.getMessage());
          if (loop.isStopping() && run > RUNS_WHILE_STOPPING) {
            left.forEach(change -> change.result.complete(new Result.Failed(e)));
            return false;
          }
          WITHOUT_DATABASE.pause(run);
        } catch (StorageException e) {
          if (SqlFaults.of(e) != SqlFaults.CONFLICT) {
            throw e;
          }
          AFTER_CONFLICT.pause(run);
        }
      }
    }

    private boolean wasCommitted(Set<RunChange> changes) {
      for (RunChange change : doubtful) {
        if (changes.contains(change) && change.hasRows()) {
          int first = change.transition.rows().getFirst().seq();
          if (change.commitId.equals(stores.history().commitOf(change.ref(), first))) {
            return true;
          }
        }
      }
      return false;
    }

    /** What an earlier run has written, whose result is not known any more. */
    private StepCalls.Settled assumed() {
      List<StepCall> withdrawn = left.stream().flatMap(one -> one.withdrawn.stream()).toList();
      StepCalls.Settled found =
          withdrawn.isEmpty()
              ? StepCalls.Settled.NOTHING
              : steps.transactions().write(handle -> steps.settle(handle, List.of(), withdrawn));
      Map<Id, StepCalls.Ended> ended = new HashMap<>();
      long now = time.nowMs();
      for (RunChange change : left) {
        for (StepCalls.End end : change.ends) {
          Long delay = end.retryDelayMs();
          ended.put(
              end.answer().call().id(),
              new StepCalls.Ended(end.answer(), true, delay == null ? null : now + delay));
        }
      }
      return new StepCalls.Settled(ended, found.withdrawn());
    }

    private void leaveOut(NotUpToDate stale) {
      List<RunChange> rest = new ArrayList<>();
      for (RunChange change : left) {
        if (!stale.changes.contains(change)) {
          rest.add(change);
          continue;
        }
        giveUp(change);
        List<StepCalls.Ended> lost = new ArrayList<>();
        for (StepCalls.End end : change.ends) {
          StepCalls.Ended ended = stale.settled.ended().get(end.answer().call().id());
          if (ended != null && !ended.held()) {
            lost.add(ended);
          }
        }
        if (lost.isEmpty()) {
          change.result.complete(new Result.Conflict());
        } else {
          steps.committed(steps.admit(List.of()), lost);
          change.result.complete(
              new Result.LeasesLost(lost.stream().map(one -> one.answer().call().id()).toList()));
        }
      }
      left = rest;
    }

    private void committed(StepCalls.Settled settled) {
      steps.committed(admitted, settled.ended().values());
      for (RunChange change : left) {
        change.publications.forEach(publications.publisher()::committed);
        change.result.complete(new Result.Committed(settled));
      }
    }

    private StepCalls.Settled write(Handle handle) {
      List<StepCalls.End> ends = new ArrayList<>();
      List<StepCall> withdrawn = new ArrayList<>();
      for (RunChange change : left) {
        ends.addAll(change.ends);
        withdrawn.addAll(change.withdrawn);
      }
      StepCalls.Settled settled = steps.settle(handle, ends, withdrawn);
      refuse(lost(settled), settled);
      Set<RunChange> stale = new HashSet<>();
      for (RunChange change : left) {
        if (!change.publications.stream()
            .allMatch(one -> publications.publisher().insert(handle, one))) {
          stale.add(change);
        }
      }
      refuse(stale, settled);
      refuse(stores.update(handle, left), settled);
      stores.append(handle, left);
      Set<Id> wanted = new HashSet<>();
      left.forEach(change -> change.calls.forEach(call -> wanted.add(call.call().id())));
      steps.insert(handle, admitted, call -> wanted.contains(call.id()));
      return settled;
    }

    private Set<RunChange> lost(StepCalls.Settled settled) {
      Set<RunChange> lost = new HashSet<>();
      for (RunChange change : left) {
        for (StepCalls.End end : change.ends) {
          StepCalls.Ended ended = settled.ended().get(end.answer().call().id());
          if (ended == null || !ended.held()) {
            lost.add(change);
          }
        }
      }
      return lost;
    }

    private static void refuse(Set<RunChange> changes, StepCalls.Settled settled) {
      if (!changes.isEmpty()) {
        throw new NotUpToDate(changes, settled);
      }
    }
  }
}
