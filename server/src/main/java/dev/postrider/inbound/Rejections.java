package dev.postrider.inbound;

import dev.postrider.storage.BatchQueue;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records rejected requests asynchronously: a flood of forged requests neither delays callers nor
 * writes more than a bounded number of rows. Requests beyond the bound are only counted.
 */
public final class Rejections implements AutoCloseable {
  static final int QUEUE = 1_000;
  static final int BATCH = 100;
  static final int KEPT_BODY_BYTES = 4_096;
  static final int MAX_DETAIL = 500;

  /** Maximum number of rows per second. */
  static final int ROWS_PER_SECOND = 200;

  private static final long WAIT_MS = 1_000;
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final System.Logger LOG = System.getLogger(Rejections.class.getName());

  private final RejectedRequestStore store;
  private final TimeSource time;
  private final BatchQueue<RejectedRequest> queue = new BatchQueue<>(QUEUE, Long.MAX_VALUE);
  private final AtomicLong dropped = new AtomicLong();
  private final PeriodicLoop writer =
      new PeriodicLoop(
          "rejections", this::turn, PeriodicLoop.Options.DEFAULT.endsWhen(queue::isEmpty));
  private long second;
  private int rowsInSecond;

  public Rejections(RejectedRequestStore store, TimeSource time) {
    this.store = store;
    this.time = time;
  }

  public void start() {
    writer.start();
  }

  /** How many were only counted. */
  public long dropped() {
    return dropped.get();
  }

  public void rejected(RejectedRequest rejected) {
    if (!mayBeKept() || !queue.offer(List.of(capped(rejected)))) {
      dropped.incrementAndGet();
    }
  }

  private synchronized boolean mayBeKept() {
    long now = time.nowMs() / 1_000;
    if (now != second) {
      second = now;
      rowsInSecond = 0;
    }
    return rowsInSecond++ < ROWS_PER_SECOND;
  }

  private static RejectedRequest capped(RejectedRequest rejected) {
    byte[] body = rejected.body();
    RejectedRequest.Refusal refusal = rejected.refusal();
    String detail = refusal.detail().replace("\0", "");
    return new RejectedRequest(
        rejected.id(),
        rejected.environmentId(),
        rejected.sourceId(),
        rejected.applicationId(),
        rejected.source(),
        new RejectedRequest.Refusal(
            refusal.status(),
            refusal.reason(),
            detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) : detail),
        rejected.method(),
        rejected.address(),
        rejected.headers(),
        body == null || body.length <= KEPT_BODY_BYTES
            ? body
            : Arrays.copyOf(body, KEPT_BODY_BYTES),
        rejected.bodyBytes());
  }

  private long turn() {
    List<RejectedRequest> batch = new ArrayList<>();
    queue.take(batch, BATCH, Long.MAX_VALUE, WAIT_MS);
    if (!batch.isEmpty()) {
      write(batch);
    }
    return 0;
  }

  private void write(List<RejectedRequest> batch) {
    try {
      store.insert(batch);
    } catch (DatabaseUnavailable e) {
      dropped.addAndGet(batch.size());
      LOG.log(Level.DEBUG, "rejected requests could not be recorded: {0}", e.getMessage());
    } catch (RuntimeException e) {
      dropped.addAndGet(batch.size());
      LOG.log(Level.WARNING, "rejected requests could not be recorded", e);
    }
  }

  /** Writes the queued requests, for a short time. */
  @Override
  public void close() {
    writer.stop(STOP_WITHIN);
  }
}
