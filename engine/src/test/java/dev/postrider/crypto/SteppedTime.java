package dev.postrider.crypto;

import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that the test advances. */
final class SteppedTime implements TimeSource {
  private final AtomicLong nanos = new AtomicLong();

  @Override
  public long nowMs() {
    return 1_800_000_000_000L + nanos.get() / 1_000_000;
  }

  @Override
  public long nanos() {
    return nanos.get();
  }

  void step(Duration by) {
    nanos.addAndGet(by.toNanos());
  }
}
