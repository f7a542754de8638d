package dev.postrider.app;

import dev.postrider.api.ApiServer;
import jdk.jfr.FlightRecorder;
import org.jdbi.v3.core.statement.JdbiStatementEvent;

/**
 * Loads classes in the background while the database is opened. Code that uses the web server waits
 * for this to finish: two threads that initialize its classes in a different order could deadlock.
 */
final class Preparation {
  private final Thread thread =
      Thread.ofPlatform().daemon().name("preparation").unstarted(this::run);

  void start() {
    thread.start();
  }

  void await() {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    // Jdbi does this before its first statement; it is the costliest single step of a start.
    if (FlightRecorder.isAvailable()) {
      FlightRecorder.register(JdbiStatementEvent.class);
    }
    ApiServer.load();
  }
}
