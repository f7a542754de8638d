package dev.postrider.delivery.http.address;

import java.net.UnknownHostException;

/** A host with a forbidden address; the message contains the address and how to allow it. */
public final class BlockedAddress extends UnknownHostException {
  private static final long serialVersionUID = 1;

  BlockedAddress(String message) {
    super(message);
  }
}
