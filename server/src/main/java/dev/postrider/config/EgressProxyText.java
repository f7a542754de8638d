package dev.postrider.config;

import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.EgressProxyOptions.Kind;
import dev.postrider.options.Secret;
import dev.postrider.text.Percent;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses the URL of an egress proxy. */
final class EgressProxyText {
  static final String FORM =
      "a URL of the form http://[user:password@]host:port or"
          + " socks5://[user:password@]host:port";

  private EgressProxyText() {}

  /** The messages never repeat the text, which may contain a password. */
  static EgressProxyOptions parse(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw refused();
    }
    boolean socks = "socks5".equals(uri.getScheme());
    if (!(socks || "http".equals(uri.getScheme()))
        || uri.getHost() == null
        || uri.getPort() < 1
        || uri.getPort() > 65_535
        || !(uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"))
        || uri.getRawQuery() != null) {
      throw refused();
    }
    return new EgressProxyOptions(
        socks ? Kind.SOCKS5 : Kind.HTTP, uri.getHost(), uri.getPort(), login(uri.getRawUserInfo()));
  }

  private static Optional<EgressProxyOptions.Login> login(@Nullable String userInfo) {
    if (userInfo == null) {
      return Optional.empty();
    }
    int colon = userInfo.indexOf(':');
    if (colon < 0) {
      throw refused();
    }
    return Optional.of(
        new EgressProxyOptions.Login(
            Percent.decode(userInfo.substring(0, colon)),
            new Secret(Percent.decode(userInfo.substring(colon + 1)))));
  }

  private static IllegalArgumentException refused() {
    return new IllegalArgumentException("must be " + FORM + ".");
  }
}
