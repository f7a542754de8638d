package dev.postrider.observe;

import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * Formats log records as text lines, such as {@code 2026-01-31T12:00:00.000Z INFO Claimer message};
 * an indented stack trace may follow.
 */
final class TextLines extends Formatter {
  private static final String OUR_PREFIX = "dev.postrider.";

  @Override
  public String format(LogRecord event) {
    StringBuilder line = new StringBuilder(120);
    line.append(LogFields.time(event))
        .append(' ')
        .append("%-5s".formatted(LogFields.level(event)))
        .append(' ')
        .append(shortName(LogFields.logger(event)))
        .append("  ")
        // A line break in a message could pass for a line of its own.
        .append(OneLine.of(String.valueOf(formatMessage(event))))
        .append('\n');
    @Nullable String trace = LogFields.stackTrace(event);
    if (trace != null) {
      trace.lines().forEach(text -> line.append("    ").append(text).append('\n'));
    }
    return line.toString();
  }

  private static String shortName(String logger) {
    return logger.startsWith(OUR_PREFIX) ? logger.substring(logger.lastIndexOf('.') + 1) : logger;
  }
}
