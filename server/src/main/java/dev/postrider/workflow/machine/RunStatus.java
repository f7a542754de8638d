package dev.postrider.workflow.machine;

import java.util.Locale;

/** The status of a run. The codes are stored. */
public enum RunStatus {
  RUNNING(0),
  WAITING(1),
  PAUSED(2),
  COMPLETED(3),
  FAILED(4),
  TIMED_OUT(5),
  CANCELED(6);

  private static final RunStatus[] BY_CODE = values();

  private final int code;

  RunStatus(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether nothing follows but a redrive. */
  public boolean isEnded() {
    return code >= COMPLETED.code;
  }

  public static RunStatus of(int code) {
    return BY_CODE[code];
  }
}
