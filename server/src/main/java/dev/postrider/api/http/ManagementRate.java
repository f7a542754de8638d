package dev.postrider.api.http;

import dev.postrider.limit.DividedRate;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * Limits the rate of management calls: every call with an API key or a token, except sends, which
 * have the limit of their application. The keys and tokens of one application share its rate; each
 * key of an environment has its own.
 */
public final class ManagementRate {
  private static final int MAX_CALLERS = 50_000;

  private final int perSecond;
  private final DividedRate<Object> rate;
  private final TimeSource time;

  /**
   * @param perSecond calls per second over all instances; 0 means no limit
   * @param instances how many instances serve the API now, including this one
   */
  public ManagementRate(int perSecond, IntSupplier instances, TimeSource time) {
    this.perSecond = perSecond;
    this.rate = new DividedRate<>(MAX_CALLERS, instances);
    this.time = time;
  }

  void refuseIfBeyond(ApiKey key, Router.Route route) {
    if (perSecond == 0 || route.has(RouteAttribute.SENDS) || key.isCommandLine()) {
      return;
    }
    long waitNanos = rate.acquire(caller(key), perSecond, time.nanos());
    if (waitNanos > 0) {
      throw ApiError.tooMany(
          "this API key may make "
              + perSecond
              + " requests per second (POSTRIDER_MANAGEMENT_RATE), not counting sends; try again"
              + " later",
          Duration.ofNanos(waitNanos));
    }
  }

  private static Object caller(ApiKey key) {
    if (key.applicationId() != null) {
      return key.applicationId();
    }
    return key.isStored() ? key.id() : key.environmentId();
  }
}
