package dev.postrider.evaluation;

import java.io.Serial;

/**
 * Thrown when no evaluation thread became free in time. The expression is not invalid; the caller
 * retries later.
 */
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
