package dev.postrider.delivery.http;

import java.net.UnknownHostException;

/** No room for another name look-up: our own limit, not the endpoint's fault. */
final class LookupsExhausted extends UnknownHostException {
  private static final long serialVersionUID = 1;

  LookupsExhausted(String message) {
    super(message);
  }
}
