package dev.postrider.options;

/** Validation of the option records. */
final class Require {
  private Require() {}

  static void that(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(rule);
    }
  }
}
