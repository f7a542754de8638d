package dev.postrider.bench.rig;

/** The run cannot go on; the message says why and what to do. */
public final class BenchFailure extends RuntimeException {
  public BenchFailure(String message) {
    super(message);
  }

  public BenchFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
