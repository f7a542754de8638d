package dev.postrider.api.http.connection;

import dev.postrider.time.TimeSource;
import io.helidon.http.DirectHandler.EventType;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Creates the errors for requests that are not valid HTTP, and logs them. Only a limited number of
 * them is logged, because any client can send many.
 */
public final class MalformedRequests {
  public static final Duration LOG_EVERY = Duration.ofSeconds(10);

  private static final System.Logger LOG = System.getLogger(MalformedRequests.class.getName());

  private final TimeSource time;
  private final AtomicLong nextLineNanos;
  private final AtomicLong unlogged = new AtomicLong();

  public MalformedRequests(TimeSource time) {
    this.time = time;
    this.nextLineNanos = new AtomicLong(time.nanos());
  }

  static void refuseUnless(boolean valid, String problem) {
    if (!valid) {
      throw refusal(Status.BAD_REQUEST_400, problem);
    }
  }

  /** The connection is closed after the answer, for where the next request begins is not known. */
  public static RequestException refusal(Status status, String problem) {
    return RequestException.builder()
        .type(EventType.BAD_REQUEST)
        .status(status)
        .setKeepAlive(false)
        .message(problem)
        .build();
  }

  /** Logs one line at most every {@link #LOG_EVERY}. */
  public void log(String peer, RequestException refused) {
    long now = time.nanos();
    long due = nextLineNanos.get();
    if (now - due < 0 || !nextLineNanos.compareAndSet(due, now + LOG_EVERY.toNanos())) {
      unlogged.incrementAndGet();
      return;
    }
    LOG.log(
        Level.INFO,
        "rejected a malformed request from {0} with {1}: {2} (and {3} others since the last"
            + " such line)",
        peer,
        refused.status().code(),
        refused.getMessage(),
        unlogged.getAndSet(0));
  }
}
