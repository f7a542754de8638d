package dev.postrider.expression;

import java.io.Serial;

/** No thread got free in time: to be tried again later. */
public final class ExpressionsBusy extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  ExpressionsBusy() {
    super("all threads that evaluate expressions are busy", null, false, false);
  }
}
