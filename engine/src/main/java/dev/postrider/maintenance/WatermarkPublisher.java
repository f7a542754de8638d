package dev.postrider.maintenance;

import dev.postrider.id.Id;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;

/**
 * Publishes this instance's horizon and learns those of the others. An instance that has no row yet
 * makes its first id after its first heartbeat, so what it will write lies beyond the time of this
 * reading.
 */
public final class WatermarkPublisher {
  static final long EVERY_MS = 500;

  /** How far the clocks of two instances, both following the database's, may be apart. */
  static final long CLOCK_SLACK_MS = 1_000;

  private final CommitWatermark watermark;
  private final Instances instances;
  private final Id self;
  private final TimeSource time;
  private final PeriodicLoop loop = new PeriodicLoop("horizon", this::turn);

  public WatermarkPublisher(
      CommitWatermark watermark, Instances instances, Id self, TimeSource time) {
    this.watermark = watermark;
    this.instances = instances;
    this.self = self;
    this.time = time;
  }

  public void start() {
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  long turn() {
    Id lowest = Id.floorOf(time.nowMs() - CLOCK_SLACK_MS);
    instances.publishHorizon(self, watermark.local());
    for (Id other : instances.horizonsOfOthers(self)) {
      lowest = other.compareTo(lowest) < 0 ? other : lowest;
    }
    watermark.othersAreAt(lowest);
    return EVERY_MS;
  }
}
