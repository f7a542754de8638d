package dev.postrider.evaluation;

import java.io.Serial;

/**
 * Thrown when a text is not a valid regular expression, or uses a feature that cannot run in linear
 * time.
 */
public final class InvalidRegex extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  InvalidRegex(String regex, String reason) {
    super(
        "the regular expression \"%s\" is not supported: %s; lookaround and backreferences are not available"
            .formatted(regex, reason));
  }
}
