package dev.postrider.cli;

/** No answer from the server; trying again later may help. */
final class ServerUnreachable extends RuntimeException {
  ServerUnreachable(String message) {
    super(message);
  }
}
