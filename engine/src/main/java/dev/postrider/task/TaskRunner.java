package dev.postrider.task;

import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Leases tasks and runs their steps, with one thread for all. */
public final class TaskRunner {
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration LOOK_EVERY = Duration.ofSeconds(5);
  static final Duration MAX_REST = Duration.ofSeconds(1);

  /** Maximum number of leased tasks; others wait, or are leased by other instances. */
  static final int MAX_HELD = 8;

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final System.Logger LOG = System.getLogger(TaskRunner.class.getName());

  private final Database database;
  private final TaskStore store;
  private final Map<TaskKind, TaskWork> works;
  private final EventPublisher events;
  private final Id instance;
  private final TimeSource time;
  private final Deque<Task> held = new ArrayDeque<>();
  private final PeriodicLoop loop =
      new PeriodicLoop(
          "tasks", this::turn, PeriodicLoop.Options.DEFAULT.atEnd(this::giveBackUnlessHalted));
  private volatile boolean halted;

  public TaskRunner(
      Database database,
      TaskStore store,
      Map<TaskKind, TaskWork> works,
      EventPublisher events,
      Id instance,
      TimeSource time) {
    this.database = database;
    this.store = store;
    this.works = works;
    this.events = events;
    this.instance = instance;
    this.time = time;
  }

  public void start() {
    loop.start();
  }

  /** Looks for new tasks at once. */
  public void wake() {
    loop.wake();
  }

  /** Stops after the current step and releases the tasks. */
  public void stop() {
    loop.stop();
  }

  /** Stops without releasing anything, as a killed process would. */
  public void halt() {
    halted = true;
    stop();
  }

  private long turn() {
    try {
      return TimeUnit.NANOSECONDS.toMillis(round() + MILLI - 1);
    } catch (RuntimeException | Error e) {
      // Whatever is held may have been taken over meanwhile; the claim finds it again.
      held.clear();
      throw e;
    }
  }

  /** One step of the task that has waited longest; returns how long to pause. */
  private long round() {
    if (held.size() < MAX_HELD) {
      Task claimed = store.claim(instance, leaseUntil());
      if (claimed != null) {
        held.add(claimed);
      }
    }
    Task task = held.poll();
    if (task == null) {
      return LOOK_EVERY.toNanos();
    }
    long began = time.nanos();
    Task after = step(task);
    if (after != null) {
      held.add(after);
      if (held.size() == 1 && samePlace(task, after)) {
        return MAX_REST.toNanos(); // it waits for something
      }
    }
    return Math.clamp(time.nanos() - began, 1, MAX_REST.toNanos());
  }

  private static boolean samePlace(Task before, Task after) {
    return Objects.equals(before.progress().cursor(), after.progress().cursor());
  }

  private long leaseUntil() {
    return time.nowMs() + LEASE.toMillis();
  }

  /** The task after its step; null if it is finished, or another instance has it. */
  private @Nullable Task step(Task task) {
    TaskWork work = works.get(task.kind());
    if (work == null) {
      fail(task, "this version does not support this kind of task");
      return null;
    }
    TaskWork.Step step;
    Task.Progress progress;
    try {
      step = work.next(task);
      progress = stepped(task, step);
    } catch (DatabaseUnavailable e) {
      throw e;
    } catch (TaskWork.Impossible e) {
      fail(task, String.valueOf(e.getMessage()));
      return null;
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "task " + task.id() + " failed", e);
      fail(task, "internal error; see the log for details");
      return null;
    }
    if (progress == null) {
      return null;
    }
    step.committed();
    if (progress.done()) {
      events.publish(new TaskEnded(task, TaskStatus.FINISHED, progress.data()));
      return null;
    }
    return with(task, progress);
  }

  private Task.@Nullable Progress stepped(Task task, TaskWork.Step step) {
    Optional<Task.Progress> made =
        database.write(
            handle -> {
              if (!store.renewIfHeld(handle, task, leaseUntil())) {
                return Optional.empty();
              }
              Task.Progress progress = step.write(handle);
              TaskStatus status = progress.done() ? TaskStatus.FINISHED : TaskStatus.RUNNING;
              store.save(handle, task, status, progress);
              if (progress.done()) {
                events.publish(handle, new TaskEnded(task, status, progress.data()));
              }
              return Optional.of(progress);
            });
    return made.orElse(null);
  }

  private void fail(Task task, String why) {
    ObjectNode data = task.progress().data().deepCopy().put("error", why);
    TaskEnded event = new TaskEnded(task, TaskStatus.FAILED, data);
    boolean ended =
        database.write(
            handle -> {
              if (!store.renewIfHeld(handle, task, 0)) {
                return false;
              }
              store.save(
                  handle,
                  task,
                  TaskStatus.FAILED,
                  new Task.Progress(task.progress().cursor(), data, true));
              events.publish(handle, event);
              return true;
            });
    if (ended) {
      events.publish(event);
    }
  }

  private static Task with(Task task, Task.Progress progress) {
    return new Task(
        task.id(),
        task.environmentId(),
        task.applicationId(),
        task.kind(),
        task.status(),
        task.input(),
        progress,
        task.leaseVersion(),
        task.updatedAt());
  }

  private void giveBackUnlessHalted() {
    if (halted) {
      return;
    }
    for (Task task : held) {
      try {
        store.release(task);
      } catch (RuntimeException e) {
        LOG.log(Level.DEBUG, "a task could not be released; its lease will expire", e);
      }
    }
  }
}
