package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.http.PublicRoute;
import dev.postrider.testkit.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EchoTest {
  private record Arrived(Map<String, String> headers, String text) implements PublicRoute.Request {
    @Override
    public String header(String name) {
      return headers.getOrDefault(name, "");
    }

    @Override
    public byte[] body() {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }

  private static String shown(Map<String, String> headers, String body) {
    Echo echo = new Echo(new ManualTime());
    List<String> lines = new ArrayList<>();
    echo.showOn(lines::add);
    echo.receive(new Arrived(headers, body));
    assertThat(echo.received()).isEqualTo(1);
    return String.join("\n", lines);
  }

  @Test
  void showsWhatCame() {
    assertThat(
            shown(
                Map.of(
                    "webhook-id", "msg_1",
                    "webhook-timestamp", "1700000000",
                    "webhook-signature", "v1,abc",
                    "postrider-attempt", "1"),
                "{\"n\":1}"))
        .isEqualTo(
            """
            echo: received a delivery
              webhook-id         msg_1
              webhook-timestamp  1700000000
              webhook-signature  v1,abc
              postrider-attempt  1
              body               {"n":1}""");
  }

  @Test
  void aMissingHeaderIsNotPrinted() {
    assertThat(
            shown(
                Map.of("x-observatory-signature", "sha256=ab", "postrider-attempt", "2"),
                "x".repeat(Echo.SHOWN_BYTES + 1)))
        .doesNotContain("webhook-")
        .doesNotContain("svix-")
        .contains("  x-observatory-signature sha256=ab\n")
        .endsWith("x…");
  }

  @Test
  void aRequestCannotForgeALineOrMoveTheCursor() {
    String shown =
        shown(
            Map.of("webhook-id", "msg_1\u009b31m"),
            "{\"a\":1}\r\n2026-01-31T12:00:00.000Z INFO  forged\u001b[2J\u0000");
    assertThat(shown.lines()).hasSize(3);
    assertThat(shown.chars().filter(c -> c != '\n').noneMatch(Character::isISOControl)).isTrue();
    assertThat(shown).contains("{\"a\":1}\\r\\n2026-01-31");
  }

  @Test
  void sizeAndRateAreLimited() {
    ManualTime time = new ManualTime();
    Echo echo = new Echo(time);
    assertThat(echo.receive(new Arrived(Map.of(), "x".repeat(Echo.MAX_BYTES + 1))).status())
        .isEqualTo(413);
    Arrived small = new Arrived(Map.of(), "{}");
    while (echo.receive(small).status() == 200) {
      assertThat(echo.received()).isLessThanOrEqualTo(Echo.BURST);
    }
    assertThat(echo.receive(small).status()).isEqualTo(429);
    time.advance(Duration.ofSeconds(1));
    assertThat(echo.receive(small).status()).isEqualTo(200);
  }
}
