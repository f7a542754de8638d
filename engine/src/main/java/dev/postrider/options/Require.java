package dev.postrider.options;

/** The checks of the option records. */
final class Require {
  private Require() {}

  static void that(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(rule);
    }
  }
}
