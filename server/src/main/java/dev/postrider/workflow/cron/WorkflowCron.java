package dev.postrider.workflow.cron;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.schedule.CronSchedule;
import dev.postrider.schedule.Ticks;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import dev.postrider.workflow.data.CanonicalJson;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.Start;
import dev.postrider.workflow.loop.Definitions;
import dev.postrider.workflow.store.CronTickStore;
import dev.postrider.workflow.store.CronTickStore.Stand;
import dev.postrider.workflow.store.RunOrigin;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.RunStore;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;

/** Starts the runs of workflows with a schedule. It runs on every instance that delivers. */
public final class WorkflowCron implements AutoCloseable {
  /** How soon a schedule that another instance has saved is known here. */
  static final Duration REREAD = Duration.ofSeconds(5);

  static final long LOOK_EVERY_MS = 500;

  /** The beginning of the key of a run: its tick follows. */
  public static final String KEY = "cron:";

  private static final System.Logger LOG = System.getLogger(WorkflowCron.class.getName());

  private final Database database;
  private final CronTickStore ticks;
  private final RunStore runs;
  private final Definitions definitions;
  private final Ids ids;
  private final TimeSource time;
  private final Runnable accepted;
  private final PeriodicLoop loop =
      new PeriodicLoop(
          "workflow-cron",
          () -> {
            turn();
            return LOOK_EVERY_MS;
          });
  private List<Stand> stands = List.of();
  private long readAtMs = Long.MIN_VALUE;

  /**
   * @param accepted called after runs were inserted, which are due at once
   */
  public WorkflowCron(
      Database database, Definitions definitions, Ids ids, TimeSource time, Runnable accepted) {
    this.database = database;
    this.ticks = new CronTickStore(database);
    this.runs = new RunStore(database);
    this.definitions = definitions;
    this.ids = ids;
    this.time = time;
    this.accepted = accepted;
  }

  public void start() {
    loop.start();
  }

  @Override
  public void close() {
    loop.stop();
  }

  /** One pass over all schedules; starts what is due. */
  void turn() {
    long now = time.nowMs();
    try {
      if (readAtMs == Long.MIN_VALUE || now - readAtMs >= REREAD.toMillis() || now < readAtMs) {
        stands = ticks.all();
        readAtMs = now;
      }
      boolean fired = false;
      for (Stand stand : stands) {
        fired |= examine(stand, now);
      }
      if (fired) {
        readAtMs = Long.MIN_VALUE;
        accepted.run();
      }
    } catch (DatabaseUnavailable e) {
      LOG.log(
          Level.DEBUG,
          "schedules of workflows are delayed until the database is available: {0}",
          e.getMessage());
    }
  }

  /** Whether the stored stand has changed. */
  private boolean examine(Stand stand, long now) {
    CronSchedule schedule = parse(stand.schedule());
    if (Ticks.nextMs(schedule, stand.lastTickMs()) > now) {
      return false;
    }
    try {
      return fire(stand, schedule, now);
    } catch (DatabaseUnavailable e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "the schedule of workflow " + stand.workflowId() + " failed", e);
      return false;
    }
  }

  /** A schedule has blanks, a time zone has none. */
  private static CronSchedule parse(String text) {
    int end = text.lastIndexOf(' ');
    return CronSchedule.parse(text.substring(0, end), text.substring(end + 1));
  }

  private boolean fire(Stand stand, CronSchedule schedule, long now) {
    Definitions.Loaded loaded = definitions.current(stand.workflowId());
    Start.Cron cron = loaded == null ? null : loaded.definition().start().cron();
    if (loaded == null || cron == null || !CronTickStore.text(cron).equals(stand.schedule())) {
      return false; // it is being saved or deleted
    }
    List<Long> due = Ticks.due(schedule, stand.lastTickMs(), now);
    for (long tick : Ticks.chosen(due, cron.catchesUp() ? 1 : 0, now)) {
      start(stand, loaded.workflow().applicationId(), cron, tick);
    }
    database.write(handle -> ticks.advanceIfBefore(handle, stand, due.getLast()));
    return true;
  }

  /** The tick and its run are one transaction. */
  private void start(Stand stand, Id applicationId, Start.Cron cron, long tick) {
    JsonValue input = cron.input() == null ? JsonValue.EMPTY_OBJECT : cron.input();
    RunStore.NewRun run =
        new RunStore.NewRun(
            new RunRef(applicationId, ids.next()),
            stand.workflowId(),
            RunStore.Cause.CRON,
            KEY + tick,
            Id.of(CanonicalJson.hash(CanonicalJson.write(input.tree()))),
            RunOrigin.NONE,
            0,
            input.bytes(),
            time.nowMs());
    database.write(
        handle ->
            ticks.advanceIfBefore(handle, stand, tick)
                && (cron.overlap() || !ticks.isRunning(handle, applicationId))
                && runs.insert(handle, run));
  }
}
