package dev.postrider.delivery.http;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A proxy that requests leave through. Targets are vetted first. SOCKS5, and HTTP for https
 * targets, are given the vetted address and never the name, so the proxy cannot come to another
 * one. For plain http an HTTP proxy needs the name and looks it up itself. The proxy is the
 * operator's choice and is not vetted.
 */
public record EgressProxy(Kind kind, String host, int port, @Nullable Login login) {
  /** How the proxy is spoken to. */
  public enum Kind {
    HTTP,
    SOCKS5
  }

  /** Never shown. */
  public record Login(String user, String password) {
    private static final int MAX_BYTES = 255;

    public Login {
      if (!fits(user) || !fits(password)) {
        throw new IllegalArgumentException(
            "user and password of the egress proxy must each have 1 to " + MAX_BYTES + " bytes");
      }
    }

    /** What SOCKS5 can say. */
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
