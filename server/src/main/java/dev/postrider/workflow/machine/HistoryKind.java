package dev.postrider.workflow.machine;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kinds of rows of a history. The codes are stored; 7 to 9 are not used. */
public enum HistoryKind {
  RUN_STARTED(0, "the run began; value: its input with defaults"),
  RUN_ENDING(1, "what the run will end as is decided; value: the error, if there is one"),
  RUN_PAUSED(2, "no step begins until the run is resumed"),
  RUN_RESUMED(3, "steps begin again"),
  RUN_REDRIVEN(4, "an ended run continues; value: the edited input, if there is one"),
  RUN_ENDED(5, "always the last row, or the last before a redrive; value: the output"),
  LATE_ANSWER(
      6,
      "what became of a step that was given up; counts for compensation only; value: its answer"),
  STEP_SCHEDULED(10, "a step began; value: its input"),
  STEP_WAITING(11, "a step began that waits; value: its input, or the items of a map"),
  STEP_RETRYING(12, "a try failed and another follows; value: the error"),
  STEP_COMPLETED(13, "a step completed; value: its result; data: the data after it"),
  STEP_FAILED(14, "a step failed; value: the error"),
  STEP_TIMED_OUT(15, "a step took too long; value: the error"),
  STEP_CANCELED(16, "a step was given up after a first try, or while it waited"),
  STEP_SKIPPED(17, "a step was given up before its first try"),
  STEP_ANSWERED(18, "an answer was stored and is applied later; value: the answer"),
  STEP_NOTIFIED(19, "the notification of a callback was delivered");

  private static final @Nullable HistoryKind[] BY_CODE = byCode();

  private final int code;
  private final String meaning;

  HistoryKind(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  public int code() {
    return code;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public String meaning() {
    return meaning;
  }

  /** Whether the row begins a step instance. */
  public boolean begins() {
    return this == STEP_SCHEDULED || this == STEP_WAITING;
  }

  public static HistoryKind of(int code) {
    HistoryKind kind = code < BY_CODE.length ? BY_CODE[code] : null;
    if (kind == null) {
      throw new IllegalArgumentException("no row of a history has the kind " + code);
    }
    return kind;
  }

  private static @Nullable HistoryKind[] byCode() {
    @Nullable HistoryKind[] kinds = new @Nullable HistoryKind[20];
    for (HistoryKind kind : values()) {
      kinds[kind.code] = kind;
    }
    return kinds;
  }
}
