package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.Extra;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EchoTest {
  private record Arrived(Map<String, String> headers, String text) implements Extra.Request {
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
    Echo echo = new Echo();
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
            echo: a delivery arrived
              webhook-id         msg_1
              webhook-timestamp  1700000000
              webhook-signature  v1,abc
              postrider-attempt  1
              body               {"n":1}""");
  }

  @Test
  void aHeaderThatDidNotComeIsNoLine() {
    assertThat(
            shown(
                Map.of("x-observatory-signature", "sha256=ab", "postrider-attempt", "2"),
                "x".repeat(Echo.SHOWN_BYTES + 1)))
        .doesNotContain("webhook-")
        .doesNotContain("svix-")
        .contains("  x-observatory-signature sha256=ab\n")
        .endsWith("x…");
  }
}
