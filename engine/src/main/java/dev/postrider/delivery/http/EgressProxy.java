package dev.postrider.delivery.http;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A proxy for delivery requests. Targets are checked first. SOCKS5, and HTTP for https targets, get
 * the checked address and never the name, so the proxy cannot use another one. For plain http an
 * HTTP proxy needs the name and resolves it itself. The proxy is chosen by the operator and is not
 * checked.
 */
public record EgressProxy(Kind kind, String host, int port, @Nullable Login login) {
  /** The protocol of the proxy. */
  public enum Kind {
    HTTP,
    SOCKS5
  }

  /** User and password for the proxy; never shown in logs or errors. */
  public record Login(String user, String password) {
    private static final int MAX_BYTES = 255;

    public Login {
      if (!fits(user) || !fits(password)) {
        throw new IllegalArgumentException(
            "user and password of the egress proxy must each have 1 to " + MAX_BYTES + " bytes");
      }
    }

    /** Maximum length in SOCKS5. */
    private static boolean fits(String text) {
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      return bytes > 0 && bytes <= MAX_BYTES;
    }

    @Override
    public String toString() {
      return "Login[" + user + "]";
    }
  }

  public EgressProxy {
    if (host.isBlank() || port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "the egress proxy needs a host and a port from 1 to 65535");
    }
  }

  /** The value of a Proxy-Authorization header; null if there is no login. */
  @Nullable String authorization() {
    return login == null
        ? null
        : "Basic "
            + Base64.getEncoder()
                .encodeToString(
                    (login.user() + ":" + login.password()).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
