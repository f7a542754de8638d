package dev.postrider.workflow.loop;

import dev.postrider.id.Id;
import dev.postrider.message.StepAnswer;
import dev.postrider.message.StepCalls;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.time.Backoff;
import dev.postrider.workflow.loop.RunChange.Result;
import dev.postrider.workflow.machine.RunEvent;
import dev.postrider.workflow.machine.RunMachine;
import dev.postrider.workflow.machine.Transition;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.RunStore;
import dev.postrider.workflow.store.StoredRun;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of runs on this instance. All events of one run are decided one after the other, and
 * those that arrive meanwhile together: a hundred items of a map that finish at once are one
 * transition. Other instances are kept apart by the compare-and-set of the commit.
 */
public final class Mailboxes {
  /** Events of one transition. */
  static final int EVENTS = 200;

  /** Runs that are decided at the same time; each may use a connection. */
  static final int DECIDED_AT_ONCE = 16;

  /** After a fault of the process, such as a lack of memory. */
  private static final Backoff AFTER_FAULT = Backoff.ofMillis(50, 2_000);

  private static final int RUNS_AFTER_FAULT = 5;
  private static final System.Logger LOG = System.getLogger(Mailboxes.class.getName());

  /**
   * An event, and what follows its commit.
   *
   * @param answer whose lease is held until the event is committed
   * @param done completed after the commit
   * @param inboxId of the message of another run, deleted with the commit
   */
  record Item(
      RunEvent event,
      @Nullable StepAnswer answer,
      @Nullable CompletableFuture<RunOutcome> done,
      @Nullable Id inboxId) {
    void complete(RunOutcome outcome) {
      if (done != null) {
        done.complete(outcome);
      }
    }
  }

  private final Map<RunRef, Mailbox> mailboxes = new ConcurrentHashMap<>();
  private final Set<Id> inboxIds = ConcurrentHashMap.newKeySet();
  private final Semaphore deciding = new Semaphore(DECIDED_AT_ONCE);
  private final RunStore runs;
  private final RunCommitter committer;
  private final Definitions definitions;
  private final ChangeMaker changes;
  private final RunParts parts;
  private final StepCalls steps;
  private final Snapshots snapshots = new Snapshots();
  private volatile LongConsumer dueAt = _ -> {};
  private volatile boolean stopped;

  Mailboxes(
      RunStore runs,
      RunCommitter committer,
      Definitions definitions,
      ChangeMaker changes,
      RunParts parts,
      StepCalls steps) {
    this.runs = runs;
    this.committer = committer;
    this.definitions = definitions;
    this.changes = changes;
    this.parts = parts;
    this.steps = steps;
  }

  /**
   * @param listener called with the time at which a run is to be looked at; 0 for now
   */
  void whenDue(LongConsumer listener) {
    dueAt = listener;
  }

  /** Decides nothing any more; what is in progress fails. */
  void stop() {
    stopped = true;
  }

  /** How many runs have events. */
  public int busy() {
    return mailboxes.size();
  }

  /** A request of a caller. */
  public CompletableFuture<RunOutcome> request(RunRef ref, RunEvent event) {
    CompletableFuture<RunOutcome> done = new CompletableFuture<>();
    offer(ref, new Item(event, null, done, null));
    return done;
  }

  /** An answer of a request. */
  void answered(RunRef ref, RunEvent.Answered event, StepAnswer answer) {
    offer(ref, new Item(event, answer, null, null));
  }

  /** A message of another run; one that waits here already is ignored. */
  void received(RunRef ref, RunEvent event, Id inboxId) {
    if (inboxIds.add(inboxId)) {
      offer(ref, new Item(event, null, null, inboxId));
    }
  }

  /** Something of the run is due. */
  void tick(RunRef ref) {
    offer(ref, new Item(new RunEvent.Tick(), null, null, null));
  }

  private void offer(RunRef ref, Item item) {
    mailboxes.compute(
        ref,
        (_, known) -> {
          Mailbox mailbox = known == null ? new Mailbox(ref) : known;
          mailbox.add(item);
          return mailbox;
        });
  }

  /** The events of one run, and the thread that decides them. */
  private final class Mailbox {
    private final RunRef ref;
    private List<Item> waiting = new ArrayList<>();
    private boolean running;

    Mailbox(RunRef ref) {
      this.ref = ref;
    }

    synchronized void add(Item item) {
      // Time passes once, however often it is looked at.
      boolean twice =
          item.event() instanceof RunEvent.Tick
              && waiting.stream().anyMatch(one -> one.event() instanceof RunEvent.Tick);
      if (!twice) {
        waiting.add(item);
      }
      if (!running) {
        running = true;
        Thread.ofVirtual().name("workflow-run").start(this::run);
      }
    }

    private synchronized List<Item> take() {
      List<Item> taken = waiting;
      if (taken.size() > EVENTS) {
        waiting = new ArrayList<>(taken.subList(EVENTS, taken.size()));
        return new ArrayList<>(taken.subList(0, EVENTS));
      }
      waiting = new ArrayList<>();
      return taken;
    }

    private void run() {
      while (true) {
        List<Item> items = take();
        if (!items.isEmpty()) {
          decideAll(items);
          items.forEach(item -> forget(item.inboxId()));
        }
        boolean over =
            mailboxes.computeIfPresent(ref, (_, mailbox) -> mailbox.isIdle() ? null : mailbox)
                == null;
        if (over) {
          return;
        }
      }
    }

    /** Under the lock of the map, so that an event either comes before or makes a new mailbox. */
    private synchronized boolean isIdle() {
      running = !waiting.isEmpty();
      return !running;
    }

    private void decideAll(List<Item> items) {
      List<Item> left = items;
      for (int run = 1; !left.isEmpty(); run++) {
        try {
          left = decide(left);
          run = 0;
        } catch (DatabaseUnavailable e) {
          LOG.log(Level.DEBUG, "a run of a workflow waits for the database: {0}", e.getMessage());
          if (stopped) {
            drop(left, e);
            return;
          }
          AFTER_FAULT.pause(run);
        } catch (RuntimeException | Error e) {
          LOG.log(Level.ERROR, "a transition of run " + ref.runId() + " failed", e);
          snapshots.remove(ref);
          if (run == RUNS_AFTER_FAULT || stopped) {
            drop(left, e);
            return;
          }
          AFTER_FAULT.pause(run);
        }
      }
    }

    /** Their leases end as those of a dead instance: others try again. */
    private void drop(List<Item> items, Throwable fault) {
      for (Item item : items) {
        if (item.done() != null) {
          item.done().completeExceptionally(fault);
        }
        if (item.answer() != null) {
          steps.committed(
              steps.admit(List.of()), List.of(new StepCalls.Ended(item.answer(), false, null)));
        }
      }
    }

    /** One transition; returns the events that are to be decided again. */
    private List<Item> decide(List<Item> items) {
      RunChange change;
      List<Item> accepted = new ArrayList<>();
      deciding.acquireUninterruptibly();
      try {
        StoredRun run = snapshots.get(ref);
        run = run == null ? runs.load(ref) : run;
        Definitions.Loaded loaded = run == null ? null : loaded(run);
        if (run == null || loaded == null) {
          gone(items);
          return List.of();
        }
        change = change(run, loaded, items, accepted);
      } finally {
        deciding.release();
      }
      if (change == null) {
        return List.of();
      }
      return finished(change, accepted, committer.add(change).join());
    }

    private Definitions.@Nullable Loaded loaded(StoredRun run) {
      Id version = run.versionId();
      return version == null ? definitions.current(run.workflowId()) : definitions.of(version);
    }

    /** There is no such run: answers are settled, so that their requests are deleted. */
    private void gone(List<Item> items) {
      List<StepCalls.End> ends = new ArrayList<>();
      for (Item item : items) {
        item.complete(new RunOutcome.NoSuchRun());
        if (item.answer() != null) {
          ends.add(new StepCalls.End(item.answer(), null));
        }
      }
      committer.settle(ends, items.stream().map(Item::inboxId).filter(Objects::nonNull).toList());
    }

    private @Nullable RunChange change(
        StoredRun run, Definitions.Loaded loaded, List<Item> items, List<Item> accepted) {
      List<RunEvent> events = new ArrayList<>();
      if (!run.state().isStarted()) {
        events.add(new RunEvent.Started(changes.input(run)));
      }
      for (Item item : items) {
        RunMachine.Refusal refusal =
            item.done() == null || !run.state().isStarted()
                ? null
                : RunMachine.refusal(loaded.definition(), run.state(), item.event());
        if (refusal != null) {
          item.complete(new RunOutcome.Refused(refusal));
        } else if (run.emptied() && item.event() instanceof RunEvent.Redrive) {
          item.complete(new RunOutcome.HistoryPruned());
        } else {
          accepted.add(item);
          events.add(item.event());
        }
      }
      if (accepted.isEmpty()) {
        return null;
      }
      StoredFacts facts = new StoredFacts(parts, loaded, run);
      Transition transition = RunMachine.next(loaded.definition(), run.state(), events, facts);
      return changes.of(run, loaded, transition, accepted, facts);
    }

    private List<Item> finished(RunChange change, List<Item> items, Result result) {
      switch (result) {
        case Result.Committed(StepCalls.Settled settled) -> {
          committed(change, settled);
          List<Integer> used = new ArrayList<>(change.closed);
          for (Item item : items) {
            boolean done =
                !(item.event() instanceof RunEvent.CallbackReceived call)
                    // The first call that closes the callback; for others it is closed already.
                    || used.remove((Integer) call.seq());
            item.complete(done ? new RunOutcome.Done() : new RunOutcome.NoSuchRun());
          }
          return List.of();
        }
        case Result.Conflict _ -> {
          snapshots.remove(ref);
          return items;
        }
        case Result.LeasesLost(List<Id> calls) -> {
          return items.stream()
              .filter(item -> item.answer() == null || !calls.contains(item.answer().call().id()))
              .toList();
        }
        case Result.Failed(RuntimeException fault) -> {
          snapshots.remove(ref);
          drop(items, fault);
          return List.of();
        }
      }
    }

    private void committed(RunChange change, StepCalls.Settled settled) {
      if (change.discarded || change.transition.after().head().status().isEnded()) {
        snapshots.remove(ref);
      } else {
        snapshots.put(change.after());
      }
      parts.values().put(ref, change.transition.rows());
      change.withdrawn.forEach(
          call -> {
            StepCalls.Withdrawn how = settled.withdrawn().get(call.id());
            if (how != null) {
              add(new Item(withdrawn(call.origin().seq(), how), null, null, null));
            }
          });
      Long due = change.transition.dueAtMs();
      if (due != null && !change.discarded) {
        if (due <= parts.time().nowMs()) {
          add(new Item(new RunEvent.Tick(), null, null, null));
        } else {
          dueAt.accept(due);
        }
      }
      if (!change.children.isEmpty()
          || !change.sent.isEmpty()
          || !change.canceledChildren.isEmpty()) {
        dueAt.accept(0);
      }
    }

    private static RunEvent withdrawn(int seq, StepCalls.Withdrawn how) {
      return new RunEvent.Withdrawn(seq, RunEvent.Withdrawn.How.valueOf(how.name()));
    }
  }

  private void forget(@Nullable Id inboxId) {
    if (inboxId != null) {
      inboxIds.remove(inboxId);
    }
  }
}
