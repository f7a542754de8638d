package dev.postrider.maintenance;

import dev.postrider.thread.PeriodicLoop;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;

/**
 * Monitors the disk of the data folder. While little space is free, messages are rejected so that
 * results can still be recorded and old messages pruned (engine rule 33).
 */
public final class DiskGuard {
  public static final long MIN_FREE_BYTES = 256L * 1024 * 1024;

  /** Free space beyond the minimum before messages are accepted again, to avoid flapping. */
  public static final long SLACK_BYTES = 16L * 1024 * 1024;

  static final long EVERY_MS = 500;
  private static final System.Logger LOG = System.getLogger(DiskGuard.class.getName());

  /** Returns the free bytes of the disk. */
  @FunctionalInterface
  public interface FreeSpace {
    long bytes() throws IOException;
  }

  private final FreeSpace free;
  private final Consumer<Boolean> pauseAccepts;
  private final PeriodicLoop loop = new PeriodicLoop("disk-guard", this::turn);
  private boolean paused;

  public DiskGuard(FreeSpace free, Consumer<Boolean> pauseAccepts) {
    this.free = free;
    this.pauseAccepts = pauseAccepts;
  }

  /** Checks once before it returns, so that a full disk is known before the first accept. */
  public void start() {
    try {
      turn();
    } catch (IOException e) {
      LOG.log(Level.WARNING, "the free disk space of the data folder cannot be determined", e);
    }
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  long turn() throws IOException {
    long bytes = free.bytes();
    if (!paused && bytes < MIN_FREE_BYTES) {
      set(true);
      LOG.log(
          Level.ERROR,
          "{0} MB are free on the disk of the data folder, messages are rejected: free at least"
              + " {1} MB",
          bytes >> 20,
          MIN_FREE_BYTES >> 20);
    } else if (paused && bytes >= MIN_FREE_BYTES + SLACK_BYTES) {
      set(false);
      LOG.log(Level.INFO, "enough disk space is free again, messages are accepted");
    }
    return EVERY_MS;
  }

  private void set(boolean noRoom) {
    paused = noRoom;
    pauseAccepts.accept(noRoom);
  }
}
