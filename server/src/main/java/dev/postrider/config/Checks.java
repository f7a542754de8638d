package dev.postrider.config;

/** Validation rules that compare two settings. */
final class Checks {
  private Checks() {}

  static <T extends Comparable<T>> void notAbove(
      Setting<T> smaller, T small, Setting<T> larger, T large) {
    if (small.compareTo(large) > 0) {
      throw new ConfigException(
          smaller.variable()
              + " must not be more than "
              + larger.variable()
              + ": lower the first setting or raise the second.");
    }
  }

  static <T extends Comparable<T>> void notAbove(
      Setting<T> smaller, Setting<T> larger, Values values) {
    notAbove(smaller, values.get(smaller), larger, values.get(larger));
  }
}
