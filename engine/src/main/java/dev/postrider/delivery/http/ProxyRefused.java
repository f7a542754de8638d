package dev.postrider.delivery.http;

import java.io.IOException;

/** The egress proxy did not open a tunnel. */
final class ProxyRefused extends IOException {
  private static final long serialVersionUID = 1;

  ProxyRefused(String message) {
    super(message);
  }
}
