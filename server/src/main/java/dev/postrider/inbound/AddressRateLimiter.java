package dev.postrider.inbound;

import dev.postrider.limit.RateLimiter;
import dev.postrider.net.IpAddress;
import dev.postrider.time.TimeSource;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * Rate limit per client address, with a burst of one second; an IPv6 network of 64 bits counts as
 * one address. The number of addresses is bounded; when the table is full, new addresses are
 * rejected.
 */
final class AddressRateLimiter {
  static final int MAX_ADDRESSES = 100_000;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final RateLimiter<String> limiter =
      new RateLimiter<>(MAX_ADDRESSES, RateLimiter.WhenFull.REFUSE);
  private final long intervalNanos;
  private final TimeSource time;

  /**
   * @param perSecond 0 means no limit
   */
  AddressRateLimiter(int perSecond, TimeSource time) {
    this.intervalNanos = perSecond == 0 ? 0 : SECOND / perSecond;
    this.time = time;
  }

  /** True if one more request is allowed now. */
  boolean tryPass(String address) {
    return intervalNanos == 0
        || limiter.acquire(network(address), time.nanos(), intervalNanos, SECOND) == 0;
  }

  private static String network(String address) {
    InetAddress parsed = IpAddress.isIpv4(address) ? null : IpAddress.parse(address);
    return parsed == null || parsed.getAddress().length == 4
        ? address
        : HexFormat.of().formatHex(Arrays.copyOf(parsed.getAddress(), 8));
  }
}
