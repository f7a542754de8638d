package dev.postrider.bench.testbed;

/** Thrown when the run cannot continue; the message contains the reason and the fix. */
public final class BenchFailure extends RuntimeException {
  public BenchFailure(String message) {
    super(message);
  }

  public BenchFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
