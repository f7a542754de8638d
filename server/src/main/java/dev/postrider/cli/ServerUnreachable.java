package dev.postrider.cli;

/** Thrown when the server did not respond; a retry may succeed. */
final class ServerUnreachable extends RuntimeException {
  ServerUnreachable(String message) {
    super(message);
  }
}
