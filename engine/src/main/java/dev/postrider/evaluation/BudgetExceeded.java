package dev.postrider.evaluation;

import java.io.Serial;

/** An evaluation exceeded a limit, which the message contains. */
public final class BudgetExceeded extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public BudgetExceeded(String message) {
    super(message, null, false, false);
  }
}
