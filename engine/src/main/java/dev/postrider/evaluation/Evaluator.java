package dev.postrider.evaluation;

import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Runs evaluations on a few platform threads, each within a {@link Budget}. A thread is released by
 * the evaluation itself, so one that took too long occupies the slot of its owner until it ends.
 */
public final class Evaluator implements AutoCloseable {
  /** Beyond the limit: how long a single step may take until it is noticed. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** No evaluation ended for that long although all threads are in use. */
  private static final Duration EXHAUSTED_AFTER = Duration.ofSeconds(10);

  private static final int STACK_BYTES = 8 * 1024 * 1024;

  private final EvaluationLimits limits;
  private final TimeSource time;
  private final Places places;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(null, task, "evaluation", STACK_BYTES);
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicInteger overdue = new AtomicInteger();
  private final AtomicLong refused = new AtomicLong();
  private volatile long lastEndNanos;
  private volatile boolean closed;

  public Evaluator(EvaluationLimits limits, TimeSource time) {
    this.limits = limits;
    this.time = time;
    this.places = new Places(limits.threads());
    this.lastEndNanos = time.nanos();
  }

  /**
   * The task's result.
   *
   * @param owner the owner for the fair share of threads: an application or an environment
   * @throws BudgetExceeded if the task exceeded a limit
   * @throws EvaluationBusy if no thread became free in time
   */
  public <T> T run(Object owner, Supplier<T> task) {
    take(owner);
    Running<T> running = new Running<>(owner, task);
    try {
      threads.execute(running);
    } catch (RuntimeException | OutOfMemoryError e) {
      places.giveBack(owner);
      throw busy();
    }
    return running.await();
  }

  /**
   * The owner of compilations. It differs from the owner of evaluations, so that the two have
   * separate shares of the threads.
   */
  private record Compilations(Object owner) {}

  /**
   * The same for compiling expressions or schemas that are stored or loaded. It has a separate
   * share: some callers hold a lock meanwhile, which must not wait for the evaluations of the
   * owner.
   */
  public <T> T compile(Object owner, Supplier<T> task) {
    return run(new Compilations(owner), task);
  }

  private void take(Object owner) {
    try {
      if (closed || !places.take(owner, limits.patience())) {
        throw busy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw busy();
    }
  }

  private EvaluationBusy busy() {
    refused.incrementAndGet();
    return new EvaluationBusy();
  }

  /** One evaluation, shared by the thread that runs it and the caller that waits for it. */
  private final class Running<T> implements Runnable {
    private final Object owner;
    private final Supplier<T> task;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Budget> budget = new CompletableFuture<>();

    Running(Object owner, Supplier<T> task) {
      this.owner = owner;
      this.task = task;
    }

    @Override
    public void run() {
      try {
        Budget own = new Budget(limits, time);
        budget.complete(own);
        T value = own.call(task::get);
        end(() -> result.complete(value));
      } catch (StackOverflowError e) {
        end(
            () ->
                result.completeExceptionally(
                    new BudgetExceeded("the expression, schema or value is nested too deeply")));
      } catch (Throwable e) {
        end(() -> result.completeExceptionally(e));
      }
    }

    /**
     * The slot is released before the caller continues, which may need it for the next evaluation.
     */
    private void end(Runnable answer) {
      lastEndNanos = time.nanos();
      places.giveBack(owner);
      answer.run();
    }

    T await() {
      try {
        return result.get(limits.elapsed().plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        overdue.incrementAndGet();
        var _ = result.whenComplete((_, _) -> overdue.decrementAndGet());
        Budget own = budget.getNow(null);
        if (own != null && own.usedUp()) {
          throw new BudgetExceeded(
              "the evaluation did not finish within " + limits.time().toMillis() + " ms");
        }
        throw busy();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw busy();
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case EvaluationBusy _ -> throw busy();
          case RuntimeException fault -> throw fault;
          case Error fault -> throw fault;
          case null, default -> throw new IllegalStateException(e.getCause());
        }
      }
    }
  }

  public int threads() {
    return limits.threads();
  }

  /** Threads that are evaluating. */
  public int busyThreads() {
    return limits.threads() - places.free();
  }

  /** Callers that wait for a thread. */
  public int waiting() {
    return places.waiting();
  }

  /** Evaluations still running although their callers already got a failure. */
  public int overdue() {
    return overdue.get();
  }

  /** Evaluations postponed because no thread became free in time. */
  public long refused() {
    return refused.get();
  }

  /** Whether all threads are in use and none has become free for long. */
  public boolean isExhausted() {
    return busyThreads() == limits.threads()
        && time.nanos() - lastEndNanos > EXHAUSTED_AFTER.toNanos();
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
  }
}
