package dev.postrider.bench.report;

/**
 * The target of a measured value.
 *
 * @param atLeast whether the bound is a floor; a ceiling otherwise
 */
public record Goal(boolean atLeast, double bound) {
  public static Goal atLeast(double bound) {
    return new Goal(true, bound);
  }

  public static Goal atMost(double bound) {
    return new Goal(false, bound);
  }

  public boolean met(double value) {
    return atLeast ? value >= bound : value <= bound;
  }
}
