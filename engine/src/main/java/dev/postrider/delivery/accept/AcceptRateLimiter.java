package dev.postrider.delivery.accept;

import dev.postrider.id.Id;
import dev.postrider.limit.DividedRate;
import dev.postrider.message.AcceptResult;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rate limit of each application in this instance: its share of the rate of the application, with a
 * burst of one second. The share is the rate divided by the number of instances that accept
 * messages, so that together they keep the rate without coordination per message. The limit
 * protects the server, so it is kept in memory only.
 */
public final class AcceptRateLimiter {
  static final int MAX_APPLICATIONS = 50_000;

  private final DividedRate<Id> rate;
  private final TimeSource time;

  /**
   * @param instances how many instances accept messages now, including this one
   */
  public AcceptRateLimiter(IntSupplier instances, TimeSource time) {
    this.rate = new DividedRate<>(MAX_APPLICATIONS, instances);
    this.time = time;
  }

  /**
   * Null if so many messages are allowed together: if there is room for one. The application pays
   * for the others afterwards.
   */
  AcceptResult.@Nullable TooMany refuse(Id applicationId, int perSecond, int messages) {
    long waitNanos = rate.acquire(applicationId, perSecond, time.nanos(), messages);
    return waitNanos == 0 ? null : new AcceptResult.TooMany(perSecond, Duration.ofNanos(waitNanos));
  }
}
