package dev.postrider.cli;

/** No answer from the server; trying again later may help. */
final class ServerAway extends RuntimeException {
  ServerAway(String message) {
    super(message);
  }
}
