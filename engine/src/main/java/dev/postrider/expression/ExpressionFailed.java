package dev.postrider.expression;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when an expression cannot be evaluated for an input. The message contains the position if
 * it is known.
 */
public final class ExpressionFailed extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final transient @Nullable Place place;

  public ExpressionFailed(String message) {
    this(null, message);
  }

  ExpressionFailed(@Nullable Place place, String message) {
    super(Place.located(place, message), null, false, false);
    this.place = place;
  }

  public @Nullable Place place() {
    return place;
  }
}
