package dev.postrider.app;

import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The wall clock of the machine. For tests only: if the system property {@value #OFFSET_FILE} names
 * a file, the milliseconds in it are added, so that the crash suite can change the time of a
 * running server. There is no setting for it.
 */
final class MachineClock implements InstantSource {
  static final String OFFSET_FILE = "postrider.test.clock-offset-file";

  private final SystemTime machine = new SystemTime();
  private final @Nullable Path offsetFile;

  private MachineClock(@Nullable Path offsetFile) {
    this.offsetFile = offsetFile;
  }

  /** With the offset that the system property names now. */
  static MachineClock chosen() {
    String file = System.getProperty(OFFSET_FILE);
    return new MachineClock(file == null ? null : Path.of(file));
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(machine.machineMs() + offsetMs());
  }

  /** Read again each time: the wall clock is read at heartbeats only. */
  private long offsetMs() {
    if (offsetFile == null) {
      return 0;
    }
    try {
      return Long.parseLong(Files.readString(offsetFile).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
