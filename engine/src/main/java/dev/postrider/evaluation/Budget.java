package dev.postrider.evaluation;

import com.sun.management.ThreadMXBean;
import dev.postrider.time.TimeSource;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** The remaining time and memory of an evaluation. Belongs to the thread that created it. */
public final class Budget {
  private static final ScopedValue<Budget> CURRENT = ScopedValue.newInstance();
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final EvaluationLimits limits;
  private final TimeSource time;
  private final long thread = Thread.currentThread().threadId();
  private final long startNanos;
  private final long startCpuNanos = THREADS.getCurrentThreadCpuTime();
  private final long startBytes = THREADS.getCurrentThreadAllocatedBytes();
  private @Nullable RuntimeException reached;

  Budget(EvaluationLimits limits, TimeSource time) {
    this.limits = limits;
    this.time = time;
    this.startNanos = time.nanos();
  }

  /** The budget of the current evaluation of this thread. */
  public static Budget current() {
    return CURRENT.get();
  }

  /** Runs the task within this budget. */
  <T> T call(ScopedValue.CallableOp<T, RuntimeException> task) {
    try {
      T result = ScopedValue.where(CURRENT, this).call(task);
      throwIfReached();
      return result;
    } catch (RuntimeException e) {
      throwIfReached(); // a library may have wrapped it
      throw e;
    }
  }

  private void throwIfReached() {
    if (reached != null) {
      throw reached;
    }
  }

  /** To be called at every step. */
  public void check() {
    long elapsed = time.nanos() - startNanos;
    if (elapsed > limits.time().toNanos()) {
      if (THREADS.getCurrentThreadCpuTime() - startCpuNanos > limits.time().toNanos()) {
        throw limit(
            "the evaluation used more than " + limits.time().toMillis() + " ms of processor time");
      }
      if (elapsed > limits.elapsed().toNanos() || Thread.currentThread().isInterrupted()) {
        throw reached(new EvaluationBusy());
      }
    }
    if (THREADS.getCurrentThreadAllocatedBytes() - startBytes > limits.memoryBytes()) {
      throw limit(
          "the evaluation needs more than " + (limits.memoryBytes() >> 20) + " MB of memory");
    }
  }

  /** Aborts the evaluation because of another limit. */
  public RuntimeException limit(String message) {
    return reached(new BudgetExceeded(message));
  }

  private RuntimeException reached(RuntimeException why) {
    reached = why;
    return why;
  }

  /** Called by another thread: whether the processor time is used up. */
  boolean usedUp() {
    return THREADS.getThreadCpuTime(thread) - startCpuNanos > limits.time().toNanos();
  }
}
