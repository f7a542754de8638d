package dev.postrider.config;

public record LogConfig(Level level, Format format) {
  /** A log level. The names are the usual ones, not FINE and SEVERE of java.util.logging. */
  public enum Level {
    DEBUG,
    INFO,
    WARN,
    ERROR,
    OFF
  }

  public enum Format {
    TEXT,
    JSON
  }

  static LogConfig from(Values values) {
    return new LogConfig(
        values.get(ServerSettings.LOG_LEVEL), values.get(ServerSettings.LOG_FORMAT));
  }
}
