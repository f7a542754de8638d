package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Pause;
import dev.postrider.time.TimeSource;

/**
 * Detects when the whole machine stops for a moment, as a busy one sometimes does. For an instance
 * with short heartbeats, that is the same as being frozen.
 */
final class Stalls implements AutoCloseable {
  private static final long STEP_NANOS = 50_000_000;
  private static final long STALL_NANOS = 700_000_000;

  private final Disruptions disruptions;
  private final TimeSource time;
  private final Pause pause;
  private final Thread thread = Thread.ofPlatform().daemon().name("stalls").unstarted(this::watch);

  Stalls(Disruptions disruptions, TimeSource time) {
    this.disruptions = disruptions;
    this.time = time;
    this.pause = new Pause(time);
  }

  void start() {
    thread.start();
  }

  private void watch() {
    try {
      while (true) {
        long from = time.nanos();
        pause.until(from + STEP_NANOS);
        if (time.nanos() - from > STALL_NANOS) {
          disruptions.add(Disruptions.Kind.STALL, Disruptions.ALL, from, time.nanos());
        }
      }
    } catch (BenchFailure e) {
      // interrupted: the trial is over
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
