package dev.postrider.delivery.accept;

import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.accept.AcceptStatements.Stamp;
import dev.postrider.delivery.accept.PendingAccept.CommitResult;
import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.DiskFull;
import dev.postrider.storage.ShardGroups;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.Backoff;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The thread that writes accepted messages to the database, in batches: while one batch commits,
 * the next is collected. A batch whose connection was lost is retried with the same ids (engine
 * rule 1). A batch that the database rejects is halved until the failing message is alone (rule 2).
 */
public final class AcceptLoop {
  /**
   * Limits of the queue of waiting messages, and of one batch; how long idempotency keys are kept.
   *
   * @param maxKeyWindowMs the longest window of an application or event type
   */
  public record Limits(
      int batchRows,
      long batchBytes,
      int queueRows,
      long queueBytes,
      Share applicationShare,
      long keyWindowMs,
      long maxKeyWindowMs) {}

  /**
   * How long the callers of a batch wait for the database to become available before they get a
   * 503.
   */
  static final long PATIENCE_MS = 4_000;

  static final int CONFLICT_RERUNS = 10;

  /**
   * While deliveries are behind, a batch waits this long for each so many deliveries of the last
   * one.
   */
  private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private static final int BROUGHT_PER_STEP = 2;
  private static final Duration STOP_WITHIN = Duration.ofSeconds(30);
  private static final Backoff WITHOUT_DATABASE = Backoff.ofMillis(100, 500);
  private static final System.Logger LOG = System.getLogger(AcceptLoop.class.getName());

  private final DedicatedConnection link;
  private final AcceptStore store;
  private final InsertClaims insertClaims;
  private final ShardGroups groups;
  private final Id instance;
  private final Limits limits;
  private final TimeSource time;
  private final AcceptQueue queue;
  private final Deque<PendingAccept> deferred = new ArrayDeque<>();
  private final List<PendingAccept> batch = new ArrayList<>();
  private final PeriodicLoop loop =
      new PeriodicLoop(
          "accept",
          this::turn,
          PeriodicLoop.Options.DEFAULT.nonDaemon().endsWhen(this::nothingWaits).atEnd(this::end));
  private volatile boolean unavailable;
  private volatile boolean paused;
  private volatile boolean ended;

  /** Deliveries of the last batch. */
  private int brought;

  public AcceptLoop(
      DedicatedConnection link,
      Dialect dialect,
      InsertClaims insertClaims,
      Id instance,
      Limits limits,
      TimeSource time) {
    this.link = link;
    this.store = new AcceptStore(dialect);
    this.insertClaims = insertClaims;
    this.groups = insertClaims.lanes().groups();
    this.instance = instance;
    this.limits = limits;
    this.time = time;
    this.queue =
        new AcceptQueue(limits.queueRows(), limits.queueBytes(), limits.applicationShare());
  }

  public void start() {
    loop.start();
  }

  /** Rejects new messages, commits the queued ones, then stops. */
  public void stop() {
    loop.stop(STOP_WITHIN);
  }

  /** Whether the database is known to be unavailable; then callers are rejected at once. */
  public boolean unavailable() {
    return unavailable;
  }

  /** Messages are rejected while resources are short, such as on a nearly full disk. */
  public void pause(boolean noRoom) {
    paused = noRoom;
  }

  public boolean paused() {
    return paused;
  }

  /** For idempotency keys with a window of their own. */
  public KeyWindow keyWindow() {
    return new KeyWindow(time, limits.maxKeyWindowMs());
  }

  boolean isFull() {
    return queue.isFull();
  }

  public int waiting() {
    return queue.size();
  }

  private @Nullable String refusal() {
    if (loop.isStopping()) {
      return "this instance is stopping";
    }
    if (unavailable) {
      return "the database is unavailable";
    }
    return paused ? "the disk is nearly full" : null;
  }

  /** Queues all or none; returns the reason of a rejection, or null. */
  @Nullable String offer(List<PendingAccept> together) {
    if (together.isEmpty()) {
      return null;
    }
    String refusal = refusal();
    if (refusal != null) {
      return refusal;
    }
    for (PendingAccept pending : together.subList(0, together.size() - 1)) {
      pending.continueWithNext();
    }
    String full = queue.offer(together);
    if (full == null && ended) {
      // The loop may have checked the queue for the last time just before: nobody else would
      // respond to these.
      refuseRest();
    }
    return full;
  }

  private long turn() {
    batch.clear();
    slowDown();
    try {
      takeInto(batch);
      if (!batch.isEmpty()) {
        for (List<PendingAccept> group : groups.split(batch, one -> one.applicationId)) {
          List<PendingAccept> twins = new ArrayList<>();
          commit(withoutDuplicates(group, twins), twins);
        }
      }
    } catch (RuntimeException | Error fault) {
      LOG.log(Level.ERROR, "accepting a batch failed", fault);
      deferred.removeAll(batch);
      batch.forEach(
          pending ->
              pending.settle(
                  new CommitResult.Unavailable("an internal fault; nothing was accepted")));
    }
    return 0;
  }

  private boolean nothingWaits() {
    return queue.isEmpty() && deferred.isEmpty();
  }

  private void end() {
    ended = true;
    refuseRest();
  }

  private void takeInto(List<PendingAccept> batch) {
    long bytes = 0;
    while (!deferred.isEmpty()
        && batch.size() < limits.batchRows()
        && bytes < limits.batchBytes()) {
      PendingAccept next;
      do {
        next = deferred.remove();
        bytes += next.sizeInBytes();
        batch.add(next);
      } while (!next.endsGroup() && !deferred.isEmpty());
    }
    int again = batch.size();
    queue.take(batch, limits.batchRows(), limits.batchBytes() - bytes, batch.isEmpty() ? 500 : 0);
    brought = 0;
    for (PendingAccept pending : batch.subList(again, batch.size())) {
      brought += pending.rows();
      insertClaims.take(pending);
    }
  }

  /**
   * Backpressure. Callers get their response before their deliveries are sent, so without it they
   * could send more than can be delivered; then all deliveries would be claimed from the table,
   * which is slower, and the more is accepted, the less is delivered. The wait depends on the
   * deliveries of the last batch, so the accept rate never falls below a minimum.
   */
  private void slowDown() {
    for (int steps = brought / BROUGHT_PER_STEP;
        steps > 0 && !loop.isStopping() && insertClaims.isBehind();
        steps--) {
      LockSupport.parkNanos(STEP_NANOS);
    }
  }

  private synchronized void refuseRest() {
    List<PendingAccept> rest = new ArrayList<>();
    queue.takeAll(rest);
    rest.forEach(
        pending -> pending.settle(new CommitResult.Unavailable("this instance is stopping")));
  }

  /**
   * Equal keys or event ids must not be in one statement. The later ones are set aside and answered
   * from what the first one has committed. A batch of a caller is set aside as a whole; it has its
   * key once, and no event id twice.
   */
  private static List<PendingAccept> withoutDuplicates(
      List<PendingAccept> batch, List<PendingAccept> twins) {
    Set<Object> seen = new HashSet<>();
    List<PendingAccept> kept = new ArrayList<>(batch.size());
    boolean first = true;
    for (PendingAccept pending : batch) {
      if (pending.leads()) {
        first = isFirst(pending.group(), seen);
      }
      (first ? kept : twins).add(pending);
    }
    return kept;
  }

  private static boolean isFirst(List<PendingAccept> group, Set<Object> seen) {
    PendingAccept leader = group.getFirst();
    boolean first =
        leader.key() == null || seen.add(new Scoped(leader.applicationId, leader.key()));
    for (PendingAccept pending : group) {
      String eventId = pending.message.eventId();
      first &= eventId == null || seen.add(new Scoped(pending.applicationId, eventId));
    }
    return first;
  }

  private record Scoped(Id applicationId, Object key) {}

  private void commit(List<PendingAccept> batch, List<PendingAccept> twins) {
    LeaseBatch leases = insertClaims.leaseBatch(instance, batch);
    batch.forEach(pending -> pending.leasedIn(leases));
    commit(batch, twins, leases, false);
  }

  /**
   * @param leases fixed before the first run, as all ids are: a run whose result was lost may have
   *     written it
   * @param maybeWritten whether an earlier run may have been committed
   */
  private void commit(
      List<PendingAccept> batch,
      List<PendingAccept> twins,
      @Nullable LeaseBatch leases,
      boolean maybeWritten) {
    long began = time.nanos();
    boolean doubtful = maybeWritten;
    for (int run = 1; ; run++) {
      try {
        boolean again = doubtful;
        settle(
            batch,
            twins,
            link.run(connection -> write(connection, batch, twins, leases, again)),
            again);
        unavailable = false;
        return;
      } catch (DiskFull e) {
        // Waiting would not help these callers, and the next batch detects by itself when there
        // is free space again.
        LOG.log(Level.WARNING, "messages are rejected: {0}", e.getMessage());
        refuse(batch, twins, "the disk is full");
        return;
      } catch (DatabaseUnavailable e) {
        if (TimeUnit.NANOSECONDS.toMillis(time.nanos() - began) > PATIENCE_MS) {
          giveUp(batch, twins, e);
          return;
        }
        doubtful = true;
        LOG.log(
            run == 1 ? Level.WARNING : Level.DEBUG,
            "an accept batch failed and is retried: {0}",
            e.getMessage());
        WITHOUT_DATABASE.pause(run);
      } catch (StorageException e) {
        if (SqlFaults.of(e) != SqlFaults.CONFLICT || run > CONFLICT_RERUNS) {
          deferred.addAll(twins);
          split(batch, leases, doubtful, e);
          return;
        }
      }
    }
  }

  private List<CommitResult> write(
      Connection connection,
      List<PendingAccept> batch,
      List<PendingAccept> twins,
      @Nullable LeaseBatch leases,
      boolean again)
      throws SQLException {
    Stamp stamp = stamp(leases);
    return again
        ? store.writeAgain(connection, batch, twins, stamp)
        : store.write(connection, batch, twins, stamp);
  }

  private Stamp stamp(@Nullable LeaseBatch leases) {
    long now = time.nowMs();
    return new Stamp(instance, now, now + limits.keyWindowMs(), leases);
  }

  private void settle(
      List<PendingAccept> batch,
      List<PendingAccept> twins,
      List<CommitResult> fates,
      boolean doubtful) {
    for (int i = 0; i < batch.size(); i++) {
      PendingAccept pending = batch.get(i);
      CommitResult fate = fates.get(i);
      if (doubtful && fate instanceof CommitResult.Stale) {
        // Not "never": the first run may be committed still.
        fate = new CommitResult.Unavailable("the database is unavailable");
      }
      LeaseBatch leases = pending.leaseBatch();
      if (leases != null && !doubtful && !(fate instanceof CommitResult.Committed)) {
        leases.settled(pending.rowless());
      }
      pending.settle(fate);
    }
    settleTwins(twins, fates.subList(batch.size(), fates.size()));
  }

  private void settleTwins(List<PendingAccept> twins, List<CommitResult> fates) {
    for (int from = 0; from < twins.size(); ) {
      List<PendingAccept> group = twins.get(from).group();
      List<CommitResult> own = fates.subList(from, from + group.size());
      if (own.stream().allMatch(CommitResult.Stale.class::isInstance)) {
        deferred.addAll(group); // its first one was not accepted; now it may be written itself
      } else {
        for (int i = 0; i < group.size(); i++) {
          group.get(i).settle(own.get(i));
        }
      }
      from += group.size();
    }
  }

  private static void refuse(List<PendingAccept> batch, List<PendingAccept> twins, String why) {
    CommitResult commit = new CommitResult.Unavailable(why);
    batch.forEach(pending -> pending.settle(commit));
    twins.forEach(pending -> pending.settle(commit));
  }

  /** One bad request never fails the others of its batch. */
  private void split(
      List<PendingAccept> batch,
      @Nullable LeaseBatch leases,
      boolean doubtful,
      StorageException fault) {
    int half = half(batch);
    if (half < batch.size()) {
      for (List<PendingAccept> part :
          List.of(batch.subList(0, half), batch.subList(half, batch.size()))) {
        if (doubtful) {
          commit(part, List.of(), leases, true);
        } else {
          commit(part, List.of());
        }
      }
      return;
    }
    LOG.log(Level.DEBUG, "the database rejected a message", fault);
    List<CommitResult> results;
    try {
      results = link.run(connection -> judge(connection, batch, fault));
    } catch (DatabaseUnavailable | StorageException e) {
      results =
          Collections.nCopies(
              batch.size(), new CommitResult.Unavailable("the database is unavailable"));
    }
    for (int i = 0; i < batch.size(); i++) {
      batch.get(i).settle(results.get(i));
    }
  }

  /** Where to divide it: near the middle, never within the batch of a caller; its size if not. */
  private static int half(List<PendingAccept> batch) {
    int half = batch.size() / 2;
    while (half > 0 && !batch.get(half).leads()) {
      half--;
    }
    if (half == 0) {
      half = batch.getFirst().group().size();
    }
    return Math.min(half, batch.size());
  }

  /** The results of messages that the database rejected: one, or the batch of a caller. */
  private List<CommitResult> judge(
      Connection connection, List<PendingAccept> culprits, StorageException fault)
      throws SQLException {
    List<CommitResult> results = store.explain(connection, culprits, time.nowMs());
    if (!results.stream().allMatch(CommitResult.Stale.class::isInstance)) {
      return results;
    }
    if (SqlFaults.of(fault) != SqlFaults.BAD_DATA) {
      return Collections.nCopies(
          culprits.size(),
          new CommitResult.Unavailable("internal error; the message was not accepted"));
    }
    CommitResult invalid = new CommitResult.Invalid("the database rejected a value");
    int rejected = culprits.size() == 1 ? 0 : store.rejected(connection, culprits, stamp(null));
    return IntStream.range(0, culprits.size())
        .mapToObj(i -> rejected < 0 || i == rejected ? invalid : new CommitResult.Stale())
        .toList();
  }

  /** Answers all waiting callers and rejects new ones at once, until the database is available. */
  private void giveUp(
      List<PendingAccept> batch, List<PendingAccept> twins, DatabaseUnavailable fault) {
    unavailable = true;
    LOG.log(
        Level.WARNING,
        "the database is unavailable, messages are rejected: {0}",
        fault.getMessage());
    refuse(batch, twins, "the database is unavailable");
    List<PendingAccept> waiting = new ArrayList<>(deferred);
    deferred.clear();
    queue.takeAll(waiting);
    refuse(waiting, List.of(), "the database is unavailable");
    while (unavailable && !loop.isStopping()) {
      try {
        unavailable = !link.run(connection -> connection.isValid(2));
      } catch (DatabaseUnavailable | StorageException e) {
        LOG.log(Level.DEBUG, "the database is still unavailable: {0}", e.getMessage());
      }
      if (unavailable) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      }
    }
    LOG.log(Level.INFO, "the database is available again, messages are accepted");
  }
}
