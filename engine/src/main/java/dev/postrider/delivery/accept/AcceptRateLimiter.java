package dev.postrider.delivery.accept;

import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How fast each application may send to this instance: its share of the application's rate, with
 * one second's worth at once. The share is the rate divided by the number of instances that take
 * messages, so that together they keep to the rate without asking each other for every message. A
 * limit for the server's protection, so memory is good enough.
 */
final class AcceptRateLimiter {
  /** Beyond this many applications all begin anew. */
  static final int MAX_ENTRIES = 50_000;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** When each application's next message would be due if it kept to its rate. */
  private final ConcurrentHashMap<Id, AtomicLong> due = new ConcurrentHashMap<>();

  private final IntSupplier instances;
  private final TimeSource time;

  /**
   * @param instances how many instances take messages now, with this one
   */
  AcceptRateLimiter(IntSupplier instances, TimeSource time) {
    this.instances = instances;
    this.time = time;
  }

  /** Null if the message may pass. */
  AcceptResult.@Nullable TooMany refuse(Id applicationId, int perSecond) {
    if (due.size() >= MAX_ENTRIES) {
      due.clear();
    }
    long step = Math.max(1, SECOND * Math.max(1, instances.getAsInt()) / perSecond);
    // A share below one a second still lets one through at a time.
    long most = Math.max(SECOND, step);
    long now = time.nanos();
    AtomicLong entry = due.computeIfAbsent(applicationId, _ -> new AtomicLong(now));
    while (true) {
      long known = entry.get();
      long from = Math.max(known - now, 0);
      if (from + step > most) {
        return new AcceptResult.TooMany(perSecond, Duration.ofNanos(from + step - most));
      }
      if (entry.compareAndSet(known, now + from + step)) {
        return null;
      }
    }
  }
}
