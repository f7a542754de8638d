package dev.postrider.expression;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown when a text is not a valid expression. The message contains the position. */
public final class InvalidExpression extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final transient @Nullable Place place;
  private final String withoutPlace;

  InvalidExpression(@Nullable Place place, String message) {
    super(Place.located(place, message), null, false, false);
    this.place = place;
    this.withoutPlace = message;
  }

  public @Nullable Place place() {
    return place;
  }

  String withoutPlace() {
    return withoutPlace;
  }
}
