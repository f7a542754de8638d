package dev.postrider.app;

import dev.postrider.api.Extra;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A receiver in the box: a newcomer's first delivery arrives here and is shown. It answers what it
 * got.
 */
public final class Echo {
  static final int SHOWN_BYTES = 300;

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
      console.accept(
          """
          echo: a delivery arrived
            webhook-id         %s
            webhook-timestamp  %s
            webhook-signature  %s
            postrider-attempt  %s
            body               %s"""
              .formatted(
                  request.header("webhook-id"),
                  request.header("webhook-timestamp"),
                  request.header("webhook-signature"),
                  request.header("postrider-attempt"),
                  body.length() > SHOWN_BYTES ? body.substring(0, SHOWN_BYTES) + "…" : body));
    }
    return Extra.Answer.of(200, "application/json", request.body());
  }
}
