package dev.postrider.evaluation;

import java.io.Serial;

/** No thread became free in time: to be repeated later. Nothing is wrong with what was asked. */
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
