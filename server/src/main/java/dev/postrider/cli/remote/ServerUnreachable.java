package dev.postrider.cli.remote;

/** Thrown when the server did not respond; a retry may succeed. */
public final class ServerUnreachable extends RuntimeException {
  ServerUnreachable(String message) {
    super(message);
  }
}
