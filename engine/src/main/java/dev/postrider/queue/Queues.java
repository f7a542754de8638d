package dev.postrider.queue;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.delivery.StatusChange;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.queue.QueueItem.Receipt;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Receives messages of a queue: waits for them, leases them, and ends the leases. */
public final class Queues {
  public static final int MAX_BATCH = 100;
  public static final Duration MAX_WAIT = Duration.ofSeconds(30);

  /** How often a waiting consumer checks for messages that other instances accepted. */
  private static final long LOOK_EVERY_MS = 500;

  private static final long BUSY_MS = 1_000;

  private final QueueItemStore store;
  private final QueueContentStore contents;
  private final QueueFilter filter;
  private final DeliveryListener listener;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private long arrivals;
  private volatile boolean closed;

  /**
   * @param listener called after commits
   */
  public Queues(
      QueueItemStore store,
      QueueContentStore contents,
      QueueFilter filter,
      DeliveryListener listener,
      TimeSource time) {
    this.store = store;
    this.contents = contents;
    this.filter = filter;
    this.listener = listener;
    this.time = time;
  }

  private List<Receipt> reportEnds(List<QueueEnd> ends) {
    ends.forEach(listener::queueEnded);
    return ends.stream()
        .map(end -> new Receipt(new DeliveryId(end.deliveryId()), end.version()))
        .toList();
  }

  /** A message for a queue was committed here; waiting consumers check at once. */
  public void messageArrived() {
    lock.lock();
    try {
      arrivals++;
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Wakes up all waiting consumers, at shutdown. */
  public void close() {
    closed = true;
    messageArrived();
  }

  /**
   * Up to that many messages; waits for the first one.
   *
   * @param visibility null means that of the queue
   */
  public List<QueueItem> receive(
      Queue queue, int batch, Duration wait, @Nullable Duration visibility) {
    Duration visible = visibility == null ? queue.spec().visibilityTimeout() : visibility;
    long deadline = time.nanos() + wait.toNanos();
    while (true) {
      long mark = mark();
      List<QueueItem> items = take(queue, batch, visible);
      long left = deadline - time.nanos();
      if (!items.isEmpty() || left <= 0 || closed) {
        return items;
      }
      await(mark, Math.min(left, TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY_MS)));
    }
  }

  private long mark() {
    lock.lock();
    try {
      return arrivals;
    } finally {
      lock.unlock();
    }
  }

  private void await(long mark, long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (arrivals == mark && left > 0) {
        left = arrived.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  /** Receives until there is a message to return or none is due. */
  private List<QueueItem> take(Queue queue, int batch, Duration visible) {
    while (true) {
      QueueItemStore.Taken taken = store.take(queue, batch, visible.toMillis(), time.nowMs());
      reportEnds(taken.ended());
      List<QueueItem> wanted = new ArrayList<>();
      for (QueueItem item : taken.items()) {
        if (isWanted(queue, item)) {
          wanted.add(item);
        }
      }
      if (!wanted.isEmpty() || taken.timedOut() > 0) {
        listener.queueReceived(queue.id().value(), wanted.size(), taken.timedOut());
      }
      if (!wanted.isEmpty() || (taken.items().isEmpty() && !taken.more())) {
        return wanted;
      }
    }
  }

  private boolean isWanted(Queue queue, QueueItem item) {
    if (item.payload() == null) {
      reportEnds(
          store.end(queue, item.receipt(), false, EndReason.PAYLOAD_EXPIRED, null, time.nowMs()));
      return false;
    }
    try {
      boolean passes = filter.passes(queue, item);
      if (!passes) {
        reportEnds(store.end(queue, item.receipt(), false, EndReason.FILTERED, null, time.nowMs()));
      }
      return passes;
    } catch (ExpressionFailed e) {
      reportEnds(
          store.end(
              queue, item.receipt(), true, EndReason.EXPRESSION, e.getMessage(), time.nowMs()));
      return false;
    } catch (EvaluationBusy e) {
      // It is valid, but cannot be filtered now: it becomes visible again soon.
      reportEnds(store.release(queue, item.receipt(), BUSY_MS, time.nowMs()));
      return false;
    }
  }

  public List<Receipt> ack(Queue queue, List<Receipt> receipts) {
    return reportEnds(store.ack(queue, receipts, time.nowMs()));
  }

  public List<Receipt> nack(Queue queue, List<Receipt> receipts, Duration delay) {
    List<Receipt> given = reportEnds(store.nack(queue, receipts, delay.toMillis(), time.nowMs()));
    messageArrived();
    return given;
  }

  public Queue.Depth depth(Queue queue) {
    return depth(queue, QueueContentStore.MAX_COUNTED);
  }

  /**
   * @param most each number is at most this
   */
  public Queue.Depth depth(Queue queue, int most) {
    return contents.depth(queue, time.nowMs(), most);
  }

  /** The messages of the queue, the next one first, without receiving them. */
  public List<QueueItem.Held> peek(Queue queue, int limit) {
    return contents.peek(queue, limit);
  }

  /** Requeues dead letters; returns how many, at most one batch. */
  public int redrive(Queue queue) {
    long now = time.nowMs();
    List<Id> redriven = contents.redrive(queue, now);
    messageArrived();
    if (!redriven.isEmpty()) {
      listener.statusChanged(
          new StatusChange(
              queue.applicationId().value(),
              queue.id().value(),
              IdKind.QUEUE,
              redriven,
              DeliveryStatus.PENDING,
              now,
              null));
    }
    return redriven.size();
  }
}
