package dev.postrider.cli.remote;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the live feed of a server, event by event. The server disconnects a client that is too
 * slow; a feed without events or keep-alives counts as closed.
 */
final class LiveLines implements AutoCloseable {
  /** Three times the keep-alive interval of the server. */
  static final long SILENCE_SECONDS = 45;

  private static final int BUFFERED = 1_000;

  /**
   * An event of the feed.
   *
   * @param id where to resume; empty for a keep-alive
   * @param kind empty for a keep-alive
   */
  record Event(String id, String kind, String data) {
    static final Event ALIVE = new Event("", "", "");

    boolean isAlive() {
      return kind.isEmpty();
    }
  }

  private final InputStream stream;
  private final BlockingQueue<Optional<Event>> read = new ArrayBlockingQueue<>(BUFFERED);
  private volatile boolean closed;

  private LiveLines(InputStream stream) {
    this.stream = stream;
  }

  /**
   * @param after the id of the last event; empty to start now
   */
  static LiveLines open(Remote remote, String application, String after) {
    String path = "/live?application=" + Remote.part(application);
    LiveLines lines =
        new LiveLines(
            (after.isEmpty() ? remote.stream(path) : remote.stream(path, "Last-Event-ID", after))
                .body());
    Thread.ofVirtual().name("live").start(lines::readAll);
    return lines;
  }

  private void readAll() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      String id = "";
      String kind = "";
      String data = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("id: ")) {
          id = line.substring("id: ".length());
        } else if (line.startsWith("event: ")) {
          kind = line.substring("event: ".length());
        } else if (line.startsWith("data: ")) {
          data = line.substring("data: ".length());
        } else if (line.startsWith(":")) {
          put(Optional.of(Event.ALIVE));
        } else if (line.isEmpty() && !kind.isEmpty()) {
          put(Optional.of(new Event(id, kind, data)));
          kind = "";
        }
      }
    } catch (IOException _) {
      // as if the server had closed it
    }
    put(Optional.empty());
  }

  private void put(Optional<Event> event) {
    try {
      while (!closed && !read.offer(event, 1, TimeUnit.SECONDS)) {
        // full; the reader is slow
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The next event; null if the feed has ended. */
  @Nullable Event next() {
    try {
      Optional<Event> next = read.poll(SILENCE_SECONDS, TimeUnit.SECONDS);
      return next == null ? null : next.orElse(null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      stream.close();
    } catch (IOException _) {
      // no longer needed
    }
  }
}
