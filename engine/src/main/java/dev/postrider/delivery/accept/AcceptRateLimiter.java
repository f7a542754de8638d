package dev.postrider.delivery.accept;

import dev.postrider.id.Id;
import dev.postrider.limit.RateLimiter;
import dev.postrider.message.AcceptResult;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rate limit of each application in this instance: its share of the rate of the application, with a
 * burst of one second. The share is the rate divided by the number of instances that accept
 * messages, so that together they keep the rate without coordination per message. The limit
 * protects the server, so it is kept in memory only.
 */
final class AcceptRateLimiter {
  static final int MAX_APPLICATIONS = 50_000;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final RateLimiter<Id> limiter =
      new RateLimiter<>(MAX_APPLICATIONS, RateLimiter.WhenFull.FORGET_ALL);
  private final IntSupplier instances;
  private final TimeSource time;

  /**
   * @param instances how many instances accept messages now, including this one
   */
  AcceptRateLimiter(IntSupplier instances, TimeSource time) {
    this.instances = instances;
    this.time = time;
  }

  /** Null if the message is allowed. */
  AcceptResult.@Nullable TooMany refuse(Id applicationId, int perSecond) {
    long interval = Math.max(1, SECOND * Math.max(1, instances.getAsInt()) / perSecond);
    // A share below one a second still lets one through at a time.
    long limit = Math.max(SECOND, interval);
    long waitNanos = limiter.acquire(applicationId, time.nanos(), interval, limit);
    return waitNanos == 0 ? null : new AcceptResult.TooMany(perSecond, Duration.ofNanos(waitNanos));
  }
}
