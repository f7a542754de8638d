package dev.postrider.configfile.plan;

import java.util.Locale;

/** The types of objects that a file can own. */
public enum Kind {
  EVENT_TYPE,
  APPLICATION,
  SOURCE,
  ENDPOINT,
  QUEUE,
  WORKFLOW,
  ROUTE,
  ALERT;

  /** As stored and shown. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
