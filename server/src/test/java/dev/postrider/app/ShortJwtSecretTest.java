package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A secret for JWTs that can be guessed is accepted with a warning. */
class ShortJwtSecretTest {
  private static final Logger LOGGER = Logger.getLogger(App.class.getName());

  @TempDir Path folder;

  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());

  /** Only what begins with the name of the setting: other tests may write to the same logger. */
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord event) {
          String line = MessageFormat.format(event.getMessage(), event.getParameters());
          if (event.getLevel() == Level.WARNING && line.startsWith("POSTRIDER_JWT_SECRET")) {
            warnings.add(line);
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOGGER.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    LOGGER.removeHandler(handler);
  }

  @Test
  void theLogWarnsBelow32Characters() {
    String secret = "k".repeat(31);
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      apps.start("JWT_SECRET=" + secret);
    }
    assertThat(warnings)
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("only 31 characters")
                    .contains("use at least 32")
                    .doesNotContain(secret));
  }

  @Test
  void theLogDoesNotWarnFrom32CharactersOn() {
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      apps.start("JWT_SECRET=" + "k".repeat(32));
    }
    assertThat(warnings).noneMatch(line -> line.contains("32 characters:"));
  }
}
