package dev.postrider.delivery.http;

import java.io.IOException;

/** A connection ended before the first byte of an answer. On a reused one that says nothing yet. */
final class NoFirstByte extends IOException {
  private static final long serialVersionUID = 1;

  NoFirstByte(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
