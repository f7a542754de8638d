package dev.postrider.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LogLinesTest {
  @Test
  void textIsOneLine() {
    assertThat(new TextLines().format(event(Level.INFO, "accepted {0} of {1}", 2, 3)))
        .isEqualTo("2026-01-31T12:00:00.000Z INFO  Claimer  accepted 2 of 3\n");
  }

  @Test
  void aMessageCannotForgeALine() {
    assertThat(new TextLines().format(event(Level.SEVERE, "a\r\nb\u001b[31m")))
        .isEqualTo("2026-01-31T12:00:00.000Z ERROR Claimer  a\\r\\nb?[31m\n");
  }

  @Test
  void aStackTraceIsIndented() {
    LogRecord event = event(Level.WARNING, "odd");
    event.setThrown(new IllegalStateException("boom"));
    assertThat(new TextLines().format(event).lines())
        .hasSizeGreaterThan(2)
        .startsWith(
            "2026-01-31T12:00:00.000Z WARN  Claimer  odd",
            "    java.lang.IllegalStateException: boom");
  }

  @Test
  void jsonIsOneObjectPerLine() {
    LogRecord event = event(Level.FINE, "a \"quoted\"\n{0}", "ü");
    event.setThrown(new IllegalStateException("boom"));
    String line = new JsonLines().format(event);
    assertThat(line).endsWith("}\n").containsOnlyOnce("\n");
    JsonNode json = JsonMapper.builder().build().readTree(line);
    assertThat(json.get("time").asString()).isEqualTo("2026-01-31T12:00:00.000Z");
    assertThat(json.get("level").asString()).isEqualTo("DEBUG");
    assertThat(json.get("logger").asString()).isEqualTo("dev.postrider.delivery.Claimer");
    assertThat(json.get("thread").asString()).isEqualTo(Thread.currentThread().getName());
    assertThat(json.get("message").asString()).isEqualTo("a \"quoted\"\nü");
    assertThat(json.get("error").asString()).startsWith("java.lang.IllegalStateException: boom");
  }

  private static LogRecord event(Level level, String message, Object... parameters) {
    LogRecord event = new LogRecord(level, message);
    event.setLoggerName("dev.postrider.delivery.Claimer");
    event.setInstant(Instant.parse("2026-01-31T12:00:00Z"));
    event.setParameters(parameters);
    return event;
  }
}
