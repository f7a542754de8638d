package dev.postrider.app;

import dev.postrider.api.http.PublicRoute;
import dev.postrider.limit.Gcra;
import dev.postrider.observe.OneLine;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A built-in receiver for trying Postrider out: it prints each delivery and returns it in the
 * response.
 */
public final class Echo {
  static final int SHOWN_BYTES = 300;
  static final int MAX_BYTES = 64 * 1024;
  static final int BURST = 500;

  /** Limits, because the receiver needs no authentication. */
  private static final Gcra RATE = new Gcra(100, BURST);

  private static final List<String> SHOWN_HEADERS =
      List.of(
          "webhook-id",
          "webhook-timestamp",
          "webhook-signature",
          "svix-id",
          "svix-timestamp",
          "svix-signature",
          "x-observatory-signature",
          "postrider-attempt");
  private static final String LINE = "\n  %-18s %s";

  private final TimeSource time;
  private final AtomicLong received = new AtomicLong();
  private long throttledUntilMicros;
  private volatile @Nullable Consumer<String> show;

  Echo(TimeSource time) {
    this.time = time;
  }

  /** Prints each delivery as a few lines of text. */
  public void showOn(Consumer<String> console) {
    show = console;
  }

  public long received() {
    return received.get();
  }

  PublicRoute.Answer receive(PublicRoute.Request request) {
    if (request.body().length > MAX_BYTES) {
      return PublicRoute.Answer.refusal(
          413,
          "payload_too_large",
          "the echo receiver accepts at most " + MAX_BYTES + " bytes per request");
    }
    if (!tryPass()) {
      return PublicRoute.Answer.refusal(
          429,
          "rate_limited",
          "the echo receiver accepts at most "
              + (int) RATE.ratePerSecond()
              + " requests per second");
    }
    received.incrementAndGet();
    String body = new String(request.body(), StandardCharsets.UTF_8);
    Consumer<String> console = show;
    if (console != null) {
      console.accept(lines(request, body));
    }
    return PublicRoute.Answer.of(200, "application/json", request.body());
  }

  private synchronized boolean tryPass() {
    Gcra.Take take = RATE.take(throttledUntilMicros, time.nowMs() * 1_000, 1);
    throttledUntilMicros = take.newTatMicros();
    return take.granted() == 1;
  }

  /** The headers of a delivery that were received, and the start of the body. */
  private static String lines(PublicRoute.Request request, String body) {
    StringBuilder lines = new StringBuilder("echo: received a delivery");
    for (String name : SHOWN_HEADERS) {
      String value = request.header(name);
      if (!value.isEmpty()) {
        lines.append(LINE.formatted(name, OneLine.of(value)));
      }
    }
    String shown = body.length() > SHOWN_BYTES ? body.substring(0, SHOWN_BYTES) + "…" : body;
    return lines.append(LINE.formatted("body", OneLine.of(shown))).toString();
  }
}
