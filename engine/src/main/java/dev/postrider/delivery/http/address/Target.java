package dev.postrider.delivery.http.address;

import dev.postrider.net.Cidr;
import dev.postrider.options.OptionNames.Option;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.net.NamedEndpoint;
import org.jspecify.annotations.Nullable;

/**
 * A URL that requests may be sent to: parsed and validated once, then cached by the caller with
 * everything that an attempt needs. Whether its addresses may be connected to is checked by the
 * {@link AddressGuard} for each connection.
 */
public final class Target {
  public static final int MAX_URL_LENGTH = 2048;

  private static final int MAX_PORT = 65_535;
  private static final String HTTP = "http";
  private static final String HTTPS = "https";

  private final String scheme;
  private final String host;
  private final @Nullable InetAddress literal;
  private final int port;
  private final String pathAndQuery;
  private final String authority;
  private final HttpRoute route;
  private final byte[] postHead;
  private final @Nullable Object owner;
  private final List<Cidr> networks;

  private Target(
      String scheme,
      String host,
      int port,
      String pathAndQuery,
      @Nullable Object owner,
      List<Cidr> networks) {
    this.owner = owner;
    this.networks = List.copyOf(networks);
    this.scheme = scheme;
    this.host = host;
    this.literal = HostSpelling.address(host);
    this.port = port;
    this.pathAndQuery = pathAndQuery;
    String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    this.authority = port == defaultPort(scheme) ? bracketed : bracketed + ":" + port;
    this.route =
        new HttpRoute(
            new HttpHost(scheme, host, port),
            networks.isEmpty() ? null : new Within(host, port, this.networks),
            null,
            isHttps());
    this.postHead = head("POST", pathAndQuery);
  }

  /**
   * The name of a host that may only have addresses of these networks. It is part of the route: a
   * kept connection is used only by targets that allow the same networks, since it was checked for
   * those.
   */
  private record Within(String host, int port, List<Cidr> networks) implements NamedEndpoint {
    @Override
    public String getHostName() {
      return host;
    }

    @Override
    public int getPort() {
      return port;
    }
  }

  /**
   * Parses and validates a URL.
   *
   * @throws BadTarget if no request may be sent to it; the message contains the problem and the fix
   */
  public static Target parse(String url, TargetRules rules) throws BadTarget {
    checkText(url);
    String scheme = scheme(url);
    int start = scheme.length() + "://".length();
    int end = authorityEnd(url, start);
    String authority = url.substring(start, end);
    if (authority.indexOf('@') >= 0) {
      throw new BadTarget(
          "the URL contains a user or password; remove it and use an Authorization header"
              + " instead");
    }
    int colon = portColon(authority);
    String host = HostSpelling.canonical(colon < 0 ? authority : authority.substring(0, colon));
    int port = colon < 0 ? defaultPort(scheme) : port(authority.substring(colon + 1), scheme);
    Target target =
        new Target(scheme, host, port, RequestTarget.of(url.substring(end)), null, List.of());
    target.checkScheme(rules);
    return target;
  }

  /** Rejects a path, with its query, that cannot be sent. */
  public static void checkPath(String path) throws BadTarget {
    checkText(path);
    RequestTarget.of(path);
  }

  /** The same target, whose name is resolved for that owner. */
  public Target ownedBy(Object newOwner) {
    return ownedBy(newOwner, List.of());
  }

  /**
   * The same target, whose name is resolved for that owner.
   *
   * @param allowedNetworks the networks that its addresses must be in, in addition to the rules of
   *     the address guard; empty for any
   */
  public Target ownedBy(Object newOwner, List<Cidr> allowedNetworks) {
    return new Target(scheme, host, port, pathAndQuery, newOwner, allowedNetworks);
  }

  /** The owner for which its name is resolved; null if there is none. */
  public @Nullable Object owner() {
    return owner;
  }

  /**
   * The networks that its addresses must be in; empty for any. Only a target with owner has them.
   */
  public List<Cidr> networks() {
    return networks;
  }

  public String scheme() {
    return scheme;
  }

  public boolean isHttps() {
    return scheme.equals(HTTPS);
  }

  /** The canonical host: a lower-case ASCII name, or an address without brackets. */
  public String host() {
    return host;
  }

  /** The host's address if the URL names one directly. */
  public @Nullable InetAddress literal() {
    return literal;
  }

  public int port() {
    return port;
  }

  public String pathAndQuery() {
    return pathAndQuery;
  }

  /** The value of the Host header. */
  public String authority() {
    return authority;
  }

  /** The URL in its canonical spelling. */
  public String url() {
    return scheme + "://" + authority + pathAndQuery;
  }

  public HttpRoute route() {
    return route;
  }

  /** Request line and Host header; the bytes must not be changed. */
  public byte[] head(String method) {
    return method.equals("POST") ? postHead : head(method, pathAndQuery);
  }

  /** As {@link #head(String)}, with the whole URL in the request line, as proxies expect it. */
  public byte[] proxiedHead(String method) {
    return head(method, url());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Target that && url().equals(that.url());
  }

  @Override
  public int hashCode() {
    return url().hashCode();
  }

  /** Without the query, which may contain a secret. */
  @Override
  public String toString() {
    int query = pathAndQuery.indexOf('?');
    String path = query < 0 ? pathAndQuery : pathAndQuery.substring(0, query) + "?…";
    return scheme + "://" + authority + path;
  }

  private byte[] head(String method, String requestTarget) {
    String text = method + " " + requestTarget + " HTTP/1.1\r\nHost: " + authority + "\r\n";
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void checkScheme(TargetRules rules) throws BadTarget {
    if (isHttps() || !rules.requireHttps() || rules.own().is(this)) {
      return;
    }
    InetAddress address = isLocalhost() ? InetAddress.ofLiteral("127.0.0.1") : literal;
    if (address == null || !rules.allows(address)) {
      throw new BadTarget(
          "the URL must start with https:// (http:// is allowed for addresses in %s, or with %s=false)"
              .formatted(
                  rules.names().of(Option.ALLOW_TARGETS), rules.names().of(Option.REQUIRE_HTTPS)));
    }
  }

  private boolean isLocalhost() {
    return host.equals("localhost") || host.endsWith(".localhost");
  }

  private static void checkText(String url) throws BadTarget {
    if (url.length() > MAX_URL_LENGTH) {
      throw new BadTarget(
          "the URL has "
              + url.length()
              + " characters; at most "
              + MAX_URL_LENGTH
              + " are allowed");
    }
    for (int i = 0; i < url.length(); i++) {
      char c = url.charAt(i);
      if (c <= ' ' || Character.isISOControl(c) || Character.isSpaceChar(c)) {
        throw new BadTarget(
            "the URL has a space or control character at position "
                + i
                + "; remove or percent-encode it");
      }
      if (c == '\\') {
        throw new BadTarget("the URL has a backslash at position " + i + "; write '/' or %5C");
      }
    }
  }

  private static String scheme(String url) throws BadTarget {
    int colon = url.indexOf(':');
    String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
    if ((!scheme.equals(HTTP) && !scheme.equals(HTTPS)) || !url.startsWith("://", colon)) {
      throw new BadTarget("the URL must start with https:// or http://");
    }
    return scheme;
  }

  private static int authorityEnd(String url, int start) {
    for (int i = start; i < url.length(); i++) {
      char c = url.charAt(i);
      if (c == '/' || c == '?' || c == '#') {
        return i;
      }
    }
    return url.length();
  }

  private static int portColon(String authority) {
    int colon = authority.lastIndexOf(':');
    return colon > authority.lastIndexOf(']') ? colon : -1;
  }

  private static int port(String digits, String scheme) throws BadTarget {
    if (digits.isEmpty()) {
      return defaultPort(scheme);
    }
    boolean number = digits.length() <= 5 && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    int port = number ? Integer.parseInt(digits) : 0;
    if (port < 1 || port > MAX_PORT) {
      throw new BadTarget("the port must be a number from 1 to " + MAX_PORT);
    }
    return port;
  }

  private static int defaultPort(String scheme) {
    return scheme.equals(HTTPS) ? 443 : 80;
  }
}
