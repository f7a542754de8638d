package dev.postrider.bench.crash;

/**
 * One request that reached the receiver.
 *
 * @param process the server process that sent it, from its user agent
 * @param number what the caller counted this message as
 * @param status what it was answered; 0 if the connection was dropped instead
 * @param answeredNanos when the answer was written, whether or not anyone was left to read it
 */
record ReceivedRequest(
    String messageId,
    String deliveryId,
    int attempt,
    String process,
    String endpoint,
    long number,
    int status,
    long receivedNanos,
    long answeredNanos) {

  boolean success() {
    return status / 100 == 2;
  }
}
