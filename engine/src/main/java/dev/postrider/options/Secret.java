package dev.postrider.options;

/**
 * A text that is never shown: only {@link #reveal()} returns it, and that call is easy to search
 * for.
 */
public record Secret(String value) {
  static final String MASK = "********";

  public String reveal() {
    return value;
  }

  @Override
  public String toString() {
    return MASK;
  }
}
