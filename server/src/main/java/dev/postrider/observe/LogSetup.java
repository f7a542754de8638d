package dev.postrider.observe;

import dev.postrider.config.LogConfig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * Configures logging of the server process. Called by {@code main} only: a program that embeds the
 * engine keeps its own logging.
 */
public final class LogSetup {
  /** Libraries that log more at INFO than an operator needs. */
  private static final List<String> QUIET =
      List.of("io.helidon", "com.zaxxer", "org.apache", "org.postgresql", "org.jdbi", "org.sqlite");

  /**
   * Logs every client that disconnects early, with a stack trace, although no action is possible.
   */
  private static final String BROKEN_CALLERS = "io.helidon.webserver.ConnectionHandler";

  /** Logs errors in the schema of a caller, which are also reported to the caller. */
  private static final String CALLERS_SCHEMAS = "com.networknt";

  private LogSetup() {}

  public static void apply(LogConfig config, PrintStream stream) {
    // Through properties, not Logger.setLevel: the manager holds loggers weakly, and what is set on
    // one that nobody holds yet is forgotten.
    byte[] properties = properties(level(config.level())).getBytes(StandardCharsets.UTF_8);
    try {
      LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(properties));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Logger.getLogger("").addHandler(new StreamLines(stream, formatter(config.format())));
  }

  private static String properties(Level level) {
    Level quieter = level.intValue() > Level.WARNING.intValue() ? level : Level.WARNING;
    Level severe = level.intValue() > Level.SEVERE.intValue() ? level : Level.SEVERE;
    return ".level=%s\n".formatted(level.getName())
        + QUIET.stream()
            .map(name -> "%s.level=%s\n".formatted(name, quieter.getName()))
            .collect(Collectors.joining())
        + "%s.level=%s\n".formatted(BROKEN_CALLERS, severe.getName())
        + "%s.level=%s\n".formatted(CALLERS_SCHEMAS, Level.OFF.getName());
  }

  private static Formatter formatter(LogConfig.Format format) {
    return switch (format) {
      case TEXT -> new TextLines();
      case JSON -> new JsonLines();
    };
  }

  private static Level level(LogConfig.Level level) {
    return switch (level) {
      case DEBUG -> Level.FINE;
      case INFO -> Level.INFO;
      case WARN -> Level.WARNING;
      case ERROR -> Level.SEVERE;
      case OFF -> Level.OFF;
    };
  }

  /**
   * A log handler that writes each line in one call. It does not filter by level, unlike the
   * handlers of the JDK.
   */
  private static final class StreamLines extends Handler {
    private final PrintStream stream;

    StreamLines(PrintStream stream, Formatter formatter) {
      this.stream = stream;
      setFormatter(formatter);
      setLevel(Level.ALL);
    }

    @Override
    public void publish(LogRecord event) {
      if (isLoggable(event)) {
        stream.print(getFormatter().format(event));
      }
    }

    @Override
    public void flush() {
      stream.flush();
    }

    @Override
    public void close() {
      flush();
    }
  }
}
