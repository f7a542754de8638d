package dev.postrider.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.config.LogConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("sets the logging of the whole process")
class LogSetupTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @AfterEach
  void restore() throws IOException {
    LogManager.getLogManager().readConfiguration();
  }

  @Test
  void ourLevelHoldsForUsAndLibrariesOnlyWarn() {
    apply(LogConfig.Level.DEBUG, LogConfig.Format.TEXT);
    log("dev.postrider.Here", System.Logger.Level.DEBUG, "shown-1");
    log("dev.postrider.Here", System.Logger.Level.TRACE, "hidden-1");
    log("io.helidon.webserver.X", System.Logger.Level.INFO, "hidden-2");
    log("io.helidon.webserver.ConnectionHandler", System.Logger.Level.WARNING, "hidden-3");
    log("com.zaxxer.hikari.X", System.Logger.Level.WARNING, "shown-2");
    assertThat(lines())
        .contains("DEBUG Here  shown-1\n", "WARN  com.zaxxer.hikari.X  shown-2\n")
        .doesNotContain("hidden");
  }

  @Test
  void errorSilencesWarningsOfLibrariesToo() {
    apply(LogConfig.Level.ERROR, LogConfig.Format.JSON);
    log("org.apache.hc.X", System.Logger.Level.WARNING, "hidden");
    log("org.apache.hc.X", System.Logger.Level.ERROR, "shown");
    assertThat(lines()).contains("\"message\":\"shown\"").doesNotContain("hidden");
  }

  @Test
  void offIsSilent() {
    apply(LogConfig.Level.OFF, LogConfig.Format.TEXT);
    log("dev.postrider.Here", System.Logger.Level.ERROR, "hidden");
    assertThat(lines()).isEmpty();
  }

  @Test
  void applyingTwiceDoesNotWriteTwice() {
    apply(LogConfig.Level.INFO, LogConfig.Format.TEXT);
    apply(LogConfig.Level.INFO, LogConfig.Format.TEXT);
    log("dev.postrider.Here", System.Logger.Level.INFO, "once");
    assertThat(lines()).containsOnlyOnce("once");
  }

  private void apply(LogConfig.Level level, LogConfig.Format format) {
    PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    LogSetup.apply(new LogConfig(level, format), stream);
  }

  private static void log(String logger, System.Logger.Level level, String message) {
    System.getLogger(logger).log(level, message);
  }

  private String lines() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
