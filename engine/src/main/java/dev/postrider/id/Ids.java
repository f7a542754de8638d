package dev.postrider.id;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Creates ids: time-ordered, monotonic within the process, never backwards even if the clock goes
 * back.
 */
public final class Ids {
  private final LongSupplier nowMs;
  private final RandomGenerator random;

  /** The last high word given: 40 bits of time, then 24 bits that count upwards within a tick. */
  private final AtomicLong lastHigh = new AtomicLong();

  /**
   * @param nowMs the clock
   */
  public Ids(LongSupplier nowMs, RandomGenerator random) {
    this.nowMs = nowMs;
    this.random = random;
  }

  public Id next() {
    long fresh = Id.timeBits(nowMs.getAsLong()) << 24 | (random.nextInt() & 0x7F_FFFF);
    long high =
        lastHigh.accumulateAndGet(
            fresh, (last, now) -> Long.compareUnsigned(now, last) > 0 ? now : last + 1);
    return new Id(high, random.nextLong());
  }

  /** At least as large as every id given so far, and smaller than every later one. */
  public Id bound() {
    long now = Id.timeBits(nowMs.getAsLong()) << 24;
    long high =
        lastHigh.accumulateAndGet(
            now, (last, fresh) -> Long.compareUnsigned(fresh, last) > 0 ? fresh : last);
    return new Id(high, -1);
  }
}
