package dev.postrider.options;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A proxy for delivery requests. Targets are checked first. SOCKS5, and HTTP for https targets, get
 * the checked address and never the name, so the proxy cannot use another one. For plain http an
 * HTTP proxy needs the name and resolves it itself. The proxy is chosen by the operator and is not
 * checked.
 */
public record EgressProxyOptions(Kind kind, String host, int port, Optional<Login> login) {
  /** The protocol of the proxy. */
  public enum Kind {
    HTTP,
    SOCKS5
  }

  /** User and password for the proxy. */
  public record Login(String user, Secret password) {
    /** Maximum length in SOCKS5. */
    private static final int MAX_BYTES = 255;

    public Login {
      Require.that(
          fits(user) && fits(password.reveal()),
          "user and password of the egress proxy must each have 1 to " + MAX_BYTES + " bytes");
    }

    private static boolean fits(String text) {
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      return bytes > 0 && bytes <= MAX_BYTES;
    }
  }

  public EgressProxyOptions {
    Require.that(
        !host.isBlank() && port >= 1 && port <= 65_535,
        "the egress proxy needs a host and a port from 1 to 65535");
  }

  /** Its name in messages, without the login. */
  @Override
  public String toString() {
    return host + ":" + port;
  }
}
