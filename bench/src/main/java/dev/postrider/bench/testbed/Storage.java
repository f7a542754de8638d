package dev.postrider.bench.testbed;

import java.util.Locale;

/** The kinds of databases that a server can use. */
public enum Storage {
  POSTGRES,
  SQLITE;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
