package dev.postrider.workflow.machine;

import java.util.Locale;

/** The status of a step instance. */
public enum StepStatus {
  /** Its request is due, or waits for its lane or a retry. */
  SCHEDULED,

  /** Its request is being sent. Only its lease knows, so the state of a run never has it. */
  RUNNING,

  /** It waits for a time, a callback, a child, or its branches or items. */
  WAITING,
  COMPLETED,
  FAILED,
  TIMED_OUT,

  /** Given up after a first try, or while it waited. */
  CANCELED,

  /** Given up before its first try. */
  SKIPPED;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
