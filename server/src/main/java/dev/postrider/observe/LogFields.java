package dev.postrider.observe;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/** Adds the fields of an event to log lines, in both formats. */
final class LogFields {
  /** UTC, always with three digits, so that lines sort and align. */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  private LogFields() {}

  static String time(LogRecord event) {
    return TIME.format(event.getInstant());
  }

  static String level(LogRecord event) {
    int level = event.getLevel().intValue();
    if (level >= Level.SEVERE.intValue()) {
      return "ERROR";
    }
    if (level >= Level.WARNING.intValue()) {
      return "WARN";
    }
    return level >= Level.INFO.intValue() ? "INFO" : "DEBUG";
  }

  static String logger(LogRecord event) {
    String name = event.getLoggerName();
    return name == null || name.isEmpty() ? "root" : name;
  }

  static @Nullable String stackTrace(LogRecord event) {
    Throwable thrown = event.getThrown();
    if (thrown == null) {
      return null;
    }
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
