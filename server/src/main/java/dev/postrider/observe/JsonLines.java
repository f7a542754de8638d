package dev.postrider.observe;

import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * Formats log records as one JSON object per line: time, level, logger, thread, message and, if
 * any, the stack trace.
 */
final class JsonLines extends Formatter {
  @Override
  public String format(LogRecord event) {
    StringBuilder line = new StringBuilder(200).append('{');
    field(line, "time", LogFields.time(event));
    field(line.append(','), "level", LogFields.level(event));
    field(line.append(','), "logger", LogFields.logger(event));
    field(line.append(','), "thread", thread(event));
    field(line.append(','), "message", String.valueOf(formatMessage(event)));
    @Nullable String trace = LogFields.stackTrace(event);
    if (trace != null) {
      field(line.append(','), "error", trace);
    }
    return line.append("}\n").toString();
  }

  /** Virtual threads have no name unless given one; the number distinguishes them. */
  private static String thread(LogRecord event) {
    Thread current = Thread.currentThread();
    boolean named = current.threadId() == event.getLongThreadID() && !current.getName().isEmpty();
    return named ? current.getName() : "#" + event.getLongThreadID();
  }

  private static void field(StringBuilder line, String name, String value) {
    line.append('"').append(name).append("\":\"");
    JsonStringEncoder.getInstance().quoteAsString(value, line);
    line.append('"');
  }
}
