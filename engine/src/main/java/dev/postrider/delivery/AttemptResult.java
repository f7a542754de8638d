package dev.postrider.delivery;

import dev.postrider.delivery.policy.Finding;
import dev.postrider.storage.BatchQueue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of an attempt that is not recorded yet, or of a delivery that ends, or is released,
 * without one.
 *
 * @param finding the class of the response; null if there was no attempt
 * @param retry the current retry schedule of this delivery
 * @param configuredCap the lane's in-flight cap before any slowing down
 * @param endedAs set if the delivery ends whatever the finding: canceled, or a dead letter by an
 *     expression
 * @param releasedUntilMs set if the lease ends unsent: when the delivery is due again
 */
public record AttemptResult(
    Delivery delivery,
    @Nullable Finding finding,
    Finish.@Nullable Attempt attempt,
    @Nullable Duration retryAfter,
    RetryPolicy retry,
    int configuredCap,
    @Nullable End endedAs,
    @Nullable Long releasedUntilMs)
    implements BatchQueue.Sized {

  /**
   * A final status that is fixed in advance, so that the retry policy is not applied: canceled, or
   * a dead letter.
   */
  public record End(DeliveryStatus status, EndReason reason) {}

  public static AttemptResult without(Delivery delivery, DeliveryStatus status, EndReason reason) {
    return new AttemptResult(
        delivery, null, null, null, RetryPolicy.DEFAULT, 1, new End(status, reason), null);
  }

  public static AttemptResult released(Delivery delivery, long untilMs) {
    return new AttemptResult(delivery, null, null, null, RetryPolicy.DEFAULT, 1, null, untilMs);
  }

  /** The receiver did not accept it. */
  public boolean failed() {
    return finding != null && finding != Finding.SUCCESS;
  }

  /** The receiver sent a status, whatever it was. */
  public boolean answered() {
    return attempt != null && attempt.statusCode() != null;
  }

  @Override
  public int sizeInBytes() {
    Finish.Attempt recorded = attempt;
    return 300 + (recorded == null || recorded.response() == null ? 0 : recorded.response().length);
  }
}
