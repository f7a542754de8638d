package dev.postrider.testkit;

import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that only the test advances. */
public final class ManualTime implements TimeSource {
  private static final long START_MS = 1_800_000_000_000L;

  private final AtomicLong nowMs = new AtomicLong(START_MS);
  private final AtomicLong nanos = new AtomicLong();

  @Override
  public long nowMs() {
    return nowMs.get();
  }

  @Override
  public long nanos() {
    return nanos.get();
  }

  public void advance(Duration by) {
    nowMs.addAndGet(by.toMillis());
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(by.toMillis()));
  }
}
