package dev.postrider.delivery.http;

import java.net.UnknownHostException;

/** A host with an address that no request may go to; the message names it and how to allow it. */
final class BlockedAddress extends UnknownHostException {
  private static final long serialVersionUID = 1;

  BlockedAddress(String message) {
    super(message);
  }
}
