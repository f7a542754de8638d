package dev.postrider.inbound;

import dev.postrider.time.TimeSource;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * So many requests a second from one address, with a burst of as many; an IPv6 network of 64 bits
 * counts as one. Knows a bounded number of addresses; when they are too many at once, new ones are
 * refused.
 */
final class AddressRateLimiter {
  static final int MAX_ADDRESSES = 100_000;

  private final long gapNanos;
  private final long burstNanos;
  private final TimeSource time;
  private final ConcurrentHashMap<String, Long> tats = new ConcurrentHashMap<>();

  /**
   * @param perSecond 0 means without limit
   */
  AddressRateLimiter(int perSecond, TimeSource time) {
    this.gapNanos = perSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.burstNanos = TimeUnit.SECONDS.toNanos(1);
    this.time = time;
  }

  /** True if one more may pass now. */
  boolean tryPass(String address) {
    if (gapNanos == 0) {
      return true;
    }
    long now = time.nanos();
    String key = network(address);
    if (tats.size() >= MAX_ADDRESSES && !tats.containsKey(key)) {
      tats.values().removeIf(tat -> tat - now <= 0);
      if (tats.size() >= MAX_ADDRESSES) {
        return false;
      }
    }
    boolean[] passed = new boolean[1];
    tats.compute(
        key,
        (_, tat) -> {
          long from = tat == null || tat - now < 0 ? now : tat;
          passed[0] = from - now <= burstNanos - gapNanos;
          return passed[0] ? from + gapNanos : from;
        });
    return passed[0];
  }

  private static String network(String address) {
    try {
      byte[] bytes = InetAddress.ofLiteral(address).getAddress();
      return bytes.length == 4 ? address : HexFormat.of().formatHex(Arrays.copyOf(bytes, 8));
    } catch (IllegalArgumentException _) {
      return address;
    }
  }
}
