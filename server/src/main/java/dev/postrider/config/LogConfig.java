package dev.postrider.config;

public record LogConfig(Level level, Format format) {
  /** The words of java.util.logging would be FINE and SEVERE; people know these better. */
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
