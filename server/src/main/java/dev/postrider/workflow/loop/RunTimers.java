package dev.postrider.workflow.loop;

import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import dev.postrider.workflow.machine.RunEvent;
import dev.postrider.workflow.store.InboxStore;
import dev.postrider.workflow.store.RunStore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The thread that looks for runs that are due: accepted ones that are to be started, timers, and
 * messages of other runs. Ten thousand waiting runs are one look-up for each workflow.
 */
final class RunTimers {
  /** Applications of one look. */
  static final int APPLICATIONS = 1_000;

  /** Runs of one workflow in one look, so that workflows take turns. */
  static final int RUNS = 32;

  static final int MESSAGES = 200;
  static final long LONGEST_MS = 1_000;

  /** Between two looks while runs are in progress that were due. */
  static final long SHORTEST_MS = 20;

  private final RunStore runs;
  private final InboxStore inbox;
  private final Mailboxes mailboxes;
  private final TimeSource time;
  private final AtomicLong nextLookMs = new AtomicLong();
  private final PeriodicLoop loop = new PeriodicLoop("workflow-timers", this::turn);

  RunTimers(RunStore runs, InboxStore inbox, Mailboxes mailboxes, TimeSource time) {
    this.runs = runs;
    this.inbox = inbox;
    this.mailboxes = mailboxes;
    this.time = time;
  }

  void start() {
    mailboxes.whenDue(this::dueAt);
    loop.start();
  }

  void stop() {
    mailboxes.whenDue(_ -> {});
    loop.stop();
  }

  /** A run is due then; 0 for now. */
  void dueAt(long ms) {
    if (ms < nextLookMs.get()) {
      loop.wake();
    }
  }

  private long turn() {
    boolean more = false;
    for (InboxStore.Message message : inbox.next(MESSAGES)) {
      mailboxes.received(message.to(), event(message), message.id());
    }
    long now = time.nowMs();
    long next = now + LONGEST_MS;
    for (RunStore.ApplicationDue application : runs.dueApplications(APPLICATIONS)) {
      if (application.dueAtMs() > now) {
        next = Math.min(next, application.dueAtMs());
        continue;
      }
      more = true;
      for (RunStore.Due due : runs.due(application.applicationId(), now, RUNS)) {
        mailboxes.tick(due.ref());
      }
    }
    long waitMs = Math.max(more ? SHORTEST_MS : 1, next - now);
    long until = more ? Math.min(waitMs, SHORTEST_MS) : waitMs;
    nextLookMs.set(now + until);
    return until;
  }

  private static RunEvent event(InboxStore.Message message) {
    return message.childEnded() && message.child() != null
        ? new RunEvent.ChildEnded(message.seq(), message.child(), message.status(), message.value())
        : new RunEvent.ParentCanceled();
  }
}
