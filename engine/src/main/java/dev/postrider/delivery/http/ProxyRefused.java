package dev.postrider.delivery.http;

import java.io.IOException;

/** Thrown when the egress proxy did not open a tunnel to the target. */
final class ProxyRefused extends IOException {
  private static final long serialVersionUID = 1;

  ProxyRefused(String message) {
    super(message);
  }
}
