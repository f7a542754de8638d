package dev.postrider.evaluation;

import java.io.Serial;

/** No thread became free in time: retry later. The expression itself is not wrong. */
public final class EvaluationBusy extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  EvaluationBusy() {
    super(
        "all threads that evaluate expressions and schemas are busy; try again",
        null,
        false,
        false);
  }
}
