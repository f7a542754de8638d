package dev.postrider.options;

import java.util.Optional;

/** The proxy for delivery requests: HTTP, or SOCKS5. */
public record EgressProxyOptions(boolean socks, String host, int port, Optional<Login> login) {
  public record Login(String user, Secret password) {}
}
