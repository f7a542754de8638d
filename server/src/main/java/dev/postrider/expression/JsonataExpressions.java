package dev.postrider.expression;

import dev.postrider.time.TimeSource;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Hands evaluations to a few threads. A thread that hangs where no limit reaches is left behind and
 * replaced; the expression that did it is refused for a while, so that it cannot take them all.
 */
public final class JsonataExpressions implements Expressions, AutoCloseable {
  /** Beyond the limit on time: what a limit needs to be noticed, also on a busy machine. */
  private static final long GRACE_MS = 2_000;

  private static final long REFUSED_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final int MAX_REFUSED = 1_000;

  private final ExpressionLimits limits;
  private final TimeSource time;
  private final Semaphore places;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Runner> idle = new ArrayDeque<>();
  private final Map<String, Long> hung = new LinkedHashMap<>();

  /** Threads that hang; more than allowed of them keep their places, so that all are bounded. */
  private final ArrayDeque<Runner> stuck = new ArrayDeque<>();

  private int placesLost;
  private volatile boolean closed;

  public JsonataExpressions(ExpressionLimits limits, TimeSource time) {
    this.limits = limits;
    this.time = time;
    this.places = new Semaphore(limits.threads(), true);
  }

  @Override
  public void check(String text) {
    if (text.isBlank()) {
      throw new InvalidExpression(null, "must not be empty");
    }
    if (text.length() > limits.textLength()) {
      throw new InvalidExpression(
          null, "must be at most " + limits.textLength() + " characters long");
    }
    run(text, null);
  }

  @Override
  public Value evaluate(String text, Map<String, @Nullable Object> context) {
    try {
      return run(text, context);
    } catch (InvalidExpression e) {
      throw new ExpressionFailed(e.place(), plain(e));
    }
  }

  private static String plain(InvalidExpression e) {
    String message = String.valueOf(e.getMessage());
    Place place = e.place();
    return place == null ? message : message.substring(message.indexOf(": ") + 2);
  }

  private Value run(String text, @Nullable Map<String, @Nullable Object> context) {
    refuseHung(text);
    reclaim();
    try {
      if (closed || !places.tryAcquire(limits.patience().toMillis(), TimeUnit.MILLISECONDS)) {
        throw new ExpressionsBusy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExpressionsBusy();
    }
    Runner runner = null;
    boolean hanging = false;
    try {
      Runner.Task task = new Runner.Task(text, context, new CompletableFuture<>());
      runner = give(task);
      return await(task);
    } catch (TimeoutException e) {
      hanging = true;
      refuse(text);
      throw new ExpressionFailed("it did not end within " + limits.time().toMillis() + " ms");
    } catch (InterruptedException e) {
      hanging = true;
      Thread.currentThread().interrupt();
      throw new ExpressionsBusy();
    } finally {
      done(runner, hanging);
    }
  }

  /** A runner that has taken the task. */
  private Runner give(Runner.Task task) throws InterruptedException {
    while (true) {
      Runner runner;
      lock.lock();
      try {
        runner = idle.pollFirst();
      } finally {
        lock.unlock();
      }
      if (runner == null) {
        runner = new Runner(limits, time);
        runner.start();
      }
      if (runner.offer(task)) {
        return runner;
      }
      runner.end();
    }
  }

  private Value await(Runner.Task task) throws TimeoutException, InterruptedException {
    try {
      return task.result().get(limits.time().toMillis() + GRACE_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case InvalidExpression invalid -> throw invalid;
        case ExpressionFailed failed -> throw failed;
        case null, default -> throw new CompletionException(e.getCause());
      }
    }
  }

  private void done(@Nullable Runner runner, boolean hanging) {
    if (runner == null || !hanging) {
      if (runner != null) {
        putBack(runner);
      }
      places.release();
      return;
    }
    runner.end();
    lock.lock();
    try {
      stuck.add(runner);
      if (stuck.size() > limits.stuckThreads()) {
        placesLost++;
      } else {
        places.release();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Threads that hung and are over by now give their places back. */
  private void reclaim() {
    lock.lock();
    try {
      stuck.removeIf(Runner::over);
      while (placesLost > 0 && stuck.size() - placesLost < limits.stuckThreads()) {
        placesLost--;
        places.release();
      }
    } finally {
      lock.unlock();
    }
  }

  private void putBack(Runner runner) {
    lock.lock();
    try {
      if (closed) {
        runner.end();
      } else {
        idle.addFirst(runner);
      }
    } finally {
      lock.unlock();
    }
  }

  private void refuse(String text) {
    lock.lock();
    try {
      if (hung.size() >= MAX_REFUSED) {
        hung.remove(hung.keySet().iterator().next());
      }
      hung.put(text, time.nanos());
    } finally {
      lock.unlock();
    }
  }

  private void refuseHung(String text) {
    lock.lock();
    try {
      Long since = hung.get(text);
      if (since == null) {
        return;
      }
      if (time.nanos() - since < REFUSED_NANOS) {
        throw new ExpressionFailed("it did not end when it was last evaluated; change it");
      }
      hung.remove(text);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      idle.forEach(Runner::end);
      idle.clear();
    } finally {
      lock.unlock();
    }
  }
}
