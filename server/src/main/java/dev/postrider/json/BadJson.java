package dev.postrider.json;

import tools.jackson.core.JacksonException;

/** The bytes are not JSON, or beyond a limit; the message says where. */
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

  /** The library's message, cut: it may quote what was sent. */
  private static String brief(String message) {
    int line = message.indexOf('\n');
    String first = line < 0 ? message : message.substring(0, line);
    return first.length() > 160 ? first.substring(0, 160) + "…" : first;
  }
}
