package dev.postrider.delivery.http;

import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy that all requests leave through. Targets are vetted first. For https the proxy is
 * given the vetted address and never the name, so it cannot come to another one; for plain http it
 * needs the name and looks it up itself. The proxy is the operator's choice and is not vetted.
 *
 * @param authorization the value of a Proxy-Authorization header
 */
public record EgressProxy(String host, int port, @Nullable String authorization) {

  public EgressProxy {
    if (host.isBlank() || port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "the egress proxy needs a host and a port from 1 to 65535");
    }
    if (authorization != null && authorization.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "the egress proxy's authorization has a character that cannot be sent; remove it");
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
