package dev.postrider.maintenance;

import dev.postrider.id.Id;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;

/**
 * Publishes the commit watermark of this instance and reads those of the others. An instance
 * without a row creates its first id after its first heartbeat, so its future ids are larger than
 * the time of this read.
 */
public final class WatermarkPublisher {
  static final long EVERY_MS = 500;

  /** Maximum clock difference of two instances that both follow the database. */
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
