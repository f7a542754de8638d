package dev.postrider.message;

import dev.postrider.id.Id;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How fast each application may send to this instance: at most its rate in any second, with one
 * second's worth at once. A limit for the server's protection, so memory is good enough.
 */
final class AcceptPaces {
  /** Beyond this many applications all begin anew. */
  static final int MAX_ENTRIES = 50_000;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** When each application's next message would be due if it kept to its rate. */
  private final ConcurrentHashMap<Id, AtomicLong> due = new ConcurrentHashMap<>();

  private final TimeSource time;

  AcceptPaces(TimeSource time) {
    this.time = time;
  }

  /** Null if the message may pass. */
  AcceptResult.@Nullable TooMany refuse(Id applicationId, int perSecond) {
    if (due.size() >= MAX_ENTRIES) {
      due.clear();
    }
    long step = Math.max(1, SECOND / perSecond);
    long now = time.nanos();
    AtomicLong entry = due.computeIfAbsent(applicationId, _ -> new AtomicLong(now));
    while (true) {
      long known = entry.get();
      long from = Math.max(known - now, 0);
      if (from + step > SECOND) {
        return new AcceptResult.TooMany(perSecond, Duration.ofNanos(from + step - SECOND));
      }
      if (entry.compareAndSet(known, now + from + step)) {
        return null;
      }
    }
  }
}
