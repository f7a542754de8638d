package dev.postrider.json;

import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;

/** Thrown when bytes are not valid JSON or exceed a limit; the message contains the position. */
public final class BadJson extends RuntimeException {
  public BadJson(String message) {
    super(message, null, false, false);
  }

  public static BadJson of(JacksonException fault) {
    String where =
        fault.getLocation() == null
            ? ""
            : " at line %d, column %d"
                .formatted(fault.getLocation().getLineNr(), fault.getLocation().getColumnNr());
    return new BadJson(
        "the body is not valid JSON" + where + ": " + brief(fault.getOriginalMessage()));
  }

  /** What the library adds about its source: not useful for a caller. */
  private static final Pattern SOURCE =
      Pattern.compile(" \\(start marker at \\[Source.*|\\s*\\[Source: .*");

  /** The message of the library, truncated: it may quote the request. */
  private static String brief(String message) {
    int line = message.indexOf('\n');
    String first = SOURCE.matcher(line < 0 ? message : message.substring(0, line)).replaceFirst("");
    return first.length() > 160 ? first.substring(0, 160) + "…" : first;
  }
}
