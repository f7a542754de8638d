package dev.postrider.app;

import dev.postrider.api.ApiServer;
import jdk.jfr.FlightRecorder;
import org.jdbi.v3.core.statement.JdbiStatementEvent;

/**
 * Loads classes on a second core while the first opens the database: whoever needs them later finds
 * them ready, or waits for the rest. Nothing depends on it.
 */
final class Preparation {
  private Preparation() {}

  /** Jdbi does this before its first statement; it is the costliest single step of a start. */
  private static void recorder() {
    if (FlightRecorder.isAvailable()) {
      FlightRecorder.register(JdbiStatementEvent.class);
    }
  }

  static void begin() {
    Thread.ofPlatform()
        .daemon()
        .name("preparation")
        .start(
            () -> {
              recorder();
              ApiServer.load();
            });
  }
}
