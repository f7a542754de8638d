package dev.postrider.cli;

/** The server did not respond; retrying later may help. */
final class ServerUnreachable extends RuntimeException {
  ServerUnreachable(String message) {
    super(message);
  }
}
