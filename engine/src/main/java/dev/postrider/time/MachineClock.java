package dev.postrider.time;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * The wall clock of the machine. For tests only: if the system property {@value #OFFSET_FILE} names
 * a file, the milliseconds in it are added, so that the crash suite can change the time of a
 * running server. There is no setting for it.
 */
final class MachineClock {
  static final String OFFSET_FILE = "postrider.test.clock-offset-file";

  private MachineClock() {}

  /** The offset according to the system property now. */
  static LongSupplier chosen() {
    String file = System.getProperty(OFFSET_FILE);
    return file == null ? System::currentTimeMillis : offBy(Path.of(file));
  }

  /** Read again each time: the wall clock is read at heartbeats only. */
  private static LongSupplier offBy(Path file) {
    return () -> {
      try {
        return System.currentTimeMillis() + Long.parseLong(Files.readString(file).strip());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }
}
