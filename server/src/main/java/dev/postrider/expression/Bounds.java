package dev.postrider.expression;

import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Parser;
import dev.postrider.time.TimeSource;
import java.io.Serial;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Watches one evaluation from its inside: asked at every step. */
final class Bounds {
  /** A limit was reached; carries the limit's name outwards. */
  static final class Reached extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    Reached(String message) {
      super(message, null, false, false);
    }
  }

  private final ExpressionLimits limits;
  private final TimeSource time;
  private final long deadline;
  private int depth;
  private @Nullable String reached;

  Bounds(ExpressionLimits limits, TimeSource time) {
    this.limits = limits;
    this.time = time;
    this.deadline = time.nanos() + limits.time().toNanos();
  }

  void watch(Jsonata.Frame frame) {
    frame.setEvaluateEntryCallback(this::entered);
    frame.setEvaluateExitCallback(this::left);
  }

  /** The limit that ended the evaluation, if one did; functions in between may have wrapped it. */
  @Nullable String reached() {
    return reached;
  }

  private void entered(Parser.Symbol symbol, Object input, Jsonata.Frame frame) {
    if (++depth > limits.depth()) {
      throw over("it is nested, or calls itself, deeper than " + limits.depth() + " levels");
    }
    checkTime();
  }

  private void left(Parser.Symbol symbol, Object input, Jsonata.Frame frame, Object result) {
    depth--;
    switch (result) {
      case null -> {}
      case String text -> checkLength(text.length());
      case List<?> list -> {
        if (list.size() > limits.items()) {
          throw over("an array has more than " + limits.items() + " items");
        }
      }
      default -> {}
    }
  }

  void checkTime() {
    if (time.nanos() - deadline > 0 || Thread.currentThread().isInterrupted()) {
      throw over("it took longer than " + limits.time().toMillis() + " ms");
    }
  }

  void checkLength(long length) {
    if (length > limits.outputBytes()) {
      throw over("a text is longer than " + limits.outputBytes() + " characters");
    }
  }

  Reached over(String what) {
    reached = what;
    return new Reached(what);
  }
}
