package dev.postrider.bench.rig;

import java.util.Locale;

/** What the server keeps its data in. */
public enum Storage {
  POSTGRES,
  SQLITE;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
