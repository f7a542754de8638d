package dev.postrider.app;

import dev.postrider.api.Extra;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A receiver in the box: a newcomer's first delivery arrives here and is shown. It answers what it
 * got.
 */
public final class Echo {
  static final int SHOWN_BYTES = 300;
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

  private final AtomicLong received = new AtomicLong();
  private volatile @Nullable Consumer<String> show;

  /** Shows each delivery as a few lines of text. */
  public void showOn(Consumer<String> console) {
    show = console;
  }

  public long received() {
    return received.get();
  }

  Extra.Answer receive(Extra.Request request) {
    received.incrementAndGet();
    String body = new String(request.body(), StandardCharsets.UTF_8);
    Consumer<String> console = show;
    if (console != null) {
      console.accept(lines(request, body));
    }
    return Extra.Answer.of(200, "application/json", request.body());
  }

  /** The headers that came, out of those that tell of a delivery, and the body's beginning. */
  private static String lines(Extra.Request request, String body) {
    StringBuilder lines = new StringBuilder("echo: a delivery arrived");
    for (String name : SHOWN_HEADERS) {
      String value = request.header(name);
      if (!value.isEmpty()) {
        lines.append(LINE.formatted(name, value));
      }
    }
    String shown = body.length() > SHOWN_BYTES ? body.substring(0, SHOWN_BYTES) + "…" : body;
    return lines.append(LINE.formatted("body", shown)).toString();
  }
}
