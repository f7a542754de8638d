package dev.postrider.delivery.http.address;

import java.net.UnknownHostException;

/** Too many name lookups: our own limit, not a failure of the endpoint. */
public final class LookupsExhausted extends UnknownHostException {
  private static final long serialVersionUID = 1;

  public LookupsExhausted(String message) {
    super(message);
  }
}
