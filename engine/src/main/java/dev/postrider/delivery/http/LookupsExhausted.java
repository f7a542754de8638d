package dev.postrider.delivery.http;

import java.net.UnknownHostException;

/** Too many name lookups: our own limit, not a failure of the endpoint. */
final class LookupsExhausted extends UnknownHostException {
  private static final long serialVersionUID = 1;

  LookupsExhausted(String message) {
    super(message);
  }
}
