package dev.postrider.maintenance;

import dev.postrider.delivery.Statistics;
import dev.postrider.id.Id;
import dev.postrider.options.RetentionOptions;
import dev.postrider.statistics.CounterStore;
import dev.postrider.storage.Database;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.task.TaskStore;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Deletes data past its retention: once a day, after a start that missed it, and on request; by one
 * instance at a time ({@link PruneRuns}). A message is deleted, with its deliveries and attempts,
 * when all its deliveries are terminal and each is past the retention of its status. Works in short
 * transactions with pauses as long as the work itself, so that accepting and delivering are hardly
 * affected; safe on every instance at once (engine rules 16 and 31).
 */
public final class Pruner {
  /** The number of deleted rows of a prune run. */
  public record Counts(
      long messages,
      long deliveries,
      long attempts,
      long payloads,
      long idempotencyKeys,
      long secrets) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);

    Counts plus(Counts other) {
      return new Counts(
          messages + other.messages,
          deliveries + other.deliveries,
          attempts + other.attempts,
          payloads + other.payloads,
          idempotencyKeys + other.idempotencyKeys,
          secrets + other.secrets);
    }
  }

  /**
   * The progress of a run.
   *
   * @param running false if this is the result of the last run
   * @param applications how many have been processed
   */
  public record Progress(boolean running, long applications, Counts counts) {}

  static final int MAX_BATCH = 500;
  static final int MIN_BATCH = 20;

  /**
   * A step that takes longer is made smaller: it holds the writer of SQLite, and locks in
   * PostgreSQL.
   */
  static final Duration LONG_STEP = Duration.ofMillis(50);

  static final Duration MAX_PAUSE = Duration.ofSeconds(1);
  static final Duration PAYLOADS_EVERY = Duration.ofMinutes(10);

  /** How often it checks for requests. */
  static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  /** A start is busy enough; a missed run is made up a little later. */
  static final Duration QUIET_AFTER_START = Duration.ofSeconds(30);

  /** How often a run writes its progress. */
  static final Duration WRITE_EVERY = Duration.ofSeconds(1);

  /** How long a finished task can be read. */
  static final Duration TASKS_KEPT = Duration.ofDays(30);

  /** One of so many pages of a SQLite file may be free. */
  static final int FREE_PART = 20;

  private static final System.Logger LOG = System.getLogger(Pruner.class.getName());

  private final Database database;
  private final WriteTimes writes;
  private final PruneStore store;
  private final PruneRuns runs;
  private final CounterStore counters;
  private final TaskStore tasks;
  private final @Nullable DayKeeper days;
  private final @Nullable DayPruner largeDays;
  private final RetentionOptions retention;
  private final TimeSource time;
  private final List<Aging> others = new CopyOnWriteArrayList<>();
  private final PeriodicLoop loop = new PeriodicLoop("prune", this::turn);
  private final ReentrantLock running = new ReentrantLock();
  private final ReentrantLock pausing = new ReentrantLock();
  private final Condition stopped = pausing.newCondition();
  private volatile boolean stopping;
  private volatile Progress progress = new Progress(false, 0, Counts.NONE);
  private volatile long nextAtMs;

  // Only the duty's.
  private @Nullable Long startedNanos;
  private @Nullable Long payloadsNanos;

  // Guarded by running.
  private long recordedRun;
  private long writtenNanos;

  public Pruner(Database database, RetentionOptions retention, TimeSource time) {
    this(database, retention, time, DayPruner.Limits.DEFAULT);
  }

  Pruner(Database database, RetentionOptions retention, TimeSource time, DayPruner.Limits limits) {
    this.database = database;
    this.writes = new WriteTimes(time::nanos);
    this.store = new PruneStore(database, writes);
    this.runs = new PruneRuns(database, time);
    this.counters = new CounterStore(database);
    this.tasks = new TaskStore(database, time);
    this.days = DayKeeper.of(database, time);
    this.largeDays =
        database instanceof PostgresDatabase postgres
            ? new DayPruner(postgres, store, retention, limits, time::nanos)
            : null;
    this.retention = retention;
    this.time = time;
  }

  /** Deletes rows of another package that are past their retention. */
  @FunctionalInterface
  public interface Aging {
    /**
     * Deletes up to that many that are past their retention, and returns the number of deleted
     * rows.
     */
    int prune(long nowMs, int limit);
  }

  /** Prunes these too; to be called before the start. */
  public void also(Aging aging) {
    others.add(aging);
  }

  public void start() {
    nextAtMs = nextRun();
    startedNanos = time.nanos();
    loop.start();
  }

  /** Stops after the current step. */
  public void stop() {
    stopping = true;
    pausing.lock();
    try {
      stopped.signalAll();
    } finally {
      pausing.unlock();
    }
    loop.stop();
  }

  /** A run was requested; starts soon. */
  public void wake() {
    loop.wake();
  }

  public Progress progress() {
    return progress;
  }

  /** When the next daily run starts. */
  long nextAtMs() {
    return nextAtMs;
  }

  private long nextRun() {
    ZonedDateTime now = time.now().atZone(ZoneOffset.UTC);
    ZonedDateTime today = now.toLocalDate().atTime(retention.at()).atZone(ZoneOffset.UTC);
    return (today.isAfter(now) ? today : today.plusDays(1)).toInstant().toEpochMilli();
  }

  /** Checks the clock and the row: payloads often, everything once a day and on request. */
  long turn() {
    nextAtMs = nextRun();
    if (days != null && !isQuiet()) {
      days.keep();
    }
    long due =
        isQuiet() ? Long.MIN_VALUE : nextAtMs - Duration.ofDays(1).toMillis(); // the last one
    PruneRuns.Run last = runs.read();
    long began = runs.isDue(last, due) ? runs.begin(last) : 0;
    if (began != 0) {
      run(began);
    } else if (payloadsNanos == null || time.nanos() - payloadsNanos >= PAYLOADS_EVERY.toNanos()) {
      forgetPayloads();
      pruneOthers();
      payloadsNanos = time.nanos();
    }
    return Math.clamp(nextAtMs - time.nowMs(), 1, LOOK_EVERY.toMillis());
  }

  private boolean isQuiet() {
    return startedNanos != null && time.nanos() - startedNanos < QUIET_AFTER_START.toNanos();
  }

  /**
   * A run that the others see; one that was interrupted by a stop or an error is started again
   * later.
   */
  private void run(long beganAtMs) {
    running.lock();
    try {
      recordedRun = beganAtMs;
      writtenNanos = time.nanos();
      pruneNow();
      if (!stopping) {
        runs.write(beganAtMs, progress, true);
      }
    } finally {
      recordedRun = 0;
      running.unlock();
    }
  }

  private void writeProgress() {
    if (recordedRun != 0 && time.nanos() - writtenNanos >= WRITE_EVERY.toNanos()) {
      writtenNanos = time.nanos();
      runs.write(recordedRun, progress, false);
    }
  }

  /** Deletes what may be deleted now, and returns how much; waits for a current run first. */
  public Counts pruneNow() {
    running.lock();
    try {
      progress = new Progress(true, 0, Counts.NONE);
      writes.clear();
      pruneMessages();
      forgetPayloads();
      removeKeys();
      removeCallAnswers();
      removeSecrets();
      pruneOthers();
      pruneCounters();
      removeTasks();
      vacuum();
      return progress.counts();
    } finally {
      progress = new Progress(false, progress.applications(), progress.counts());
      Counts counts = progress.counts();
      LOG.log(
          Level.INFO,
          "pruned {0} messages ({3}), {1} idempotency keys, {2} payloads",
          counts.messages(),
          counts.idempotencyKeys(),
          counts.payloads(),
          writes);
      running.unlock();
    }
  }

  private void pruneMessages() {
    List<Span> unless = List.of();
    if (largeDays != null) {
      unless =
          largeDays.prune(time.nowMs(), new DayRun()).stream()
              .map(day -> new Span(day.first(), day.end()))
              .toList();
    }
    Id application = store.nextApplication(Id.ZERO);
    while (application != null && !stopping) {
      RetentionOptions own = store.retentionOf(application, retention);
      Retention.Cutoffs cutoffs = Retention.Cutoffs.of(own, time.nowMs());
      for (Span span : own.equals(retention) ? Span.between(unless) : Span.ALL) {
        pruneMessages(application, span, cutoffs);
      }
      progress = new Progress(true, progress.applications() + 1, progress.counts());
      application = store.nextApplication(application);
    }
    if (days != null && !stopping) {
      days.removeEmpty();
      removeEventIds();
    }
  }

  /** Those of the messages of truncated partitions. */
  private void removeEventIds() {
    Id before = Id.floorOf(time.nowMs() - Duration.ofDays(1).toMillis());
    long from = 0;
    while (from >= 0 && !stopping) {
      long began = time.nanos();
      from = EventIdStore.deleteOrphans(database, from, before);
      paced(began, MAX_BATCH);
    }
  }

  private void pruneMessages(Id application, Span span, Retention.Cutoffs cutoffs) {
    int batch = MAX_BATCH / 5;
    Id after = span.from();
    while (after != null && !stopping) {
      long began = time.nanos();
      PruneStore.Step step = store.prune(application, after, span.until(), cutoffs, batch);
      count(step);
      after = step.last();
      batch = paced(began, batch);
    }
  }

  /**
   * A range of ids.
   *
   * @param from exclusive; no message has the first id of a day
   * @param until exclusive
   */
  private record Span(Id from, Id until) {
    static final List<Span> ALL = List.of(new Span(Id.ZERO, Id.LARGEST));

    /** What is not in these, which are in order. */
    static List<Span> between(List<Span> excluded) {
      List<Span> between = new ArrayList<>();
      Id from = Id.ZERO;
      for (Span one : excluded) {
        between.add(new Span(from, one.from));
        from = one.until;
      }
      between.add(new Span(from, Id.LARGEST));
      return between;
    }
  }

  private final class DayRun implements DayPruner.Run {
    @Override
    public boolean isStopping() {
      return stopping;
    }

    @Override
    public int stepped(long beganNanos, int batch, PruneStore.Step step) {
      count(step);
      return paced(beganNanos, batch);
    }
  }

  private void forgetPayloads() {
    PruneStore.Expiry at = PruneStore.Expiry.START;
    while (!at.done() && !stopping) {
      long began = time.nanos();
      at = store.forgetPayloads(at, time.nowMs(), MAX_BATCH / 5);
      count(new Counts(0, 0, 0, at.forgotten(), 0, 0));
      paced(began, MAX_BATCH);
    }
  }

  private void removeKeys() {
    long from = 0;
    while (from >= 0 && !stopping) {
      long began = time.nanos();
      PruneStore.KeyStep step = store.removeKeys(from, time.nowMs());
      count(new Counts(0, 0, 0, 0, step.removed(), 0));
      from = step.next();
      paced(began, MAX_BATCH);
    }
  }

  private void removeCallAnswers() {
    int removed;
    do {
      long began = time.nanos();
      removed = store.removeCallAnswers(time.nowMs(), MAX_BATCH);
      count(new Counts(0, 0, 0, 0, removed, 0));
      paced(began, MAX_BATCH);
    } while (removed == MAX_BATCH && !stopping);
  }

  /** Other tables, each with its own retention. */
  private void pruneOthers() {
    for (Aging other : others) {
      int removed;
      do {
        long began = time.nanos();
        removed = other.prune(time.nowMs(), MAX_BATCH);
        paced(began, MAX_BATCH);
      } while (removed == MAX_BATCH && !stopping);
    }
  }

  private void removeSecrets() {
    int removed;
    do {
      removed = store.removeSecrets(time.nowMs(), MAX_BATCH);
      count(new Counts(0, 0, 0, 0, 0, removed));
    } while (removed == MAX_BATCH && !stopping);
  }

  private void removeTasks() {
    int removed = MAX_BATCH;
    while (removed == MAX_BATCH && !stopping) {
      removed = tasks.remove(time.nowMs() - TASKS_KEPT.toMillis(), MAX_BATCH);
    }
  }

  /** Minutes are summed up to hours, and old hours are deleted. */
  private void pruneCounters() {
    long hour = Duration.ofHours(1).toMillis();
    long minutesBefore = (time.nowMs() - Statistics.MINUTES_KEPT.toMillis()) / hour * hour;
    int done = MAX_BATCH;
    while (done == MAX_BATCH && !stopping) {
      long began = time.nanos();
      done = counters.rollUp(minutesBefore, MAX_BATCH);
      paced(began, MAX_BATCH);
    }
    long hoursBefore = time.nowMs() - Statistics.HOURS_KEPT.toMillis();
    done = MAX_BATCH;
    while (done == MAX_BATCH && !stopping) {
      long began = time.nanos();
      done = counters.removeHours(hoursBefore, MAX_BATCH);
      paced(began, MAX_BATCH);
    }
  }

  /**
   * SQLite keeps freed pages in its file until a vacuum. A part of them stays for the messages of
   * the next day: returning them would only make the file grow again.
   */
  private void vacuum() {
    if (database instanceof SqliteDatabase sqlite) {
      SqliteDatabase.Pages pages = sqlite.vacuum(0);
      int batch = MAX_BATCH / 5;
      int before = Integer.MAX_VALUE;
      while (!stopping && pages.free() > pages.all() / FREE_PART && pages.free() < before) {
        before = pages.free();
        long began = time.nanos();
        pages = sqlite.vacuum(batch);
        batch = paced(began, batch);
      }
    }
  }

  private void count(PruneStore.Step step) {
    count(new Counts(step.messages(), step.deliveries(), step.attempts(), 0, 0, 0));
  }

  private void count(Counts more) {
    Progress now = progress;
    progress = new Progress(now.running(), now.applications(), now.counts().plus(more));
  }

  /** Pauses as long as the step took, and returns the size of the next one. */
  private int paced(long beganNanos, int batch) {
    writeProgress();
    long tookNanos = time.nanos() - beganNanos;
    pausing.lock();
    try {
      long left = Math.clamp(tookNanos, TimeUnit.MILLISECONDS.toNanos(1), MAX_PAUSE.toNanos());
      while (!stopping && left > 0) {
        left = stopped.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stopping = true;
    } finally {
      pausing.unlock();
    }
    if (tookNanos > LONG_STEP.toNanos()) {
      return Math.max(MIN_BATCH, batch / 2);
    }
    return tookNanos < LONG_STEP.toNanos() / 3 ? Math.min(MAX_BATCH, batch * 2) : batch;
  }
}
