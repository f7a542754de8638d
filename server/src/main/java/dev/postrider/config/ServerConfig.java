package dev.postrider.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The HTTP server that callers reach.
 *
 * @param port 0 takes a free one
 * @param trustedProxies addresses and CIDRs whose X-Forwarded-For is believed
 * @param requestTimeout how long a caller may take to send its request
 */
public record ServerConfig(
    String host,
    int port,
    Optional<URI> publicUrl,
    List<String> trustedProxies,
    Optional<Tls> tls,
    long maxBodyBytes,
    Duration requestTimeout,
    int maxConnections) {
  public record Tls(Path certFile, Path keyFile) {}

  public ServerConfig {
    trustedProxies = List.copyOf(trustedProxies);
    Settings.HOST.check(host);
    Settings.PORT.check(port);
    Settings.PUBLIC_URL.check(publicUrl);
    Settings.TRUSTED_PROXIES.check(trustedProxies);
    Settings.MAX_BODY.check(maxBodyBytes);
    Settings.SERVER_TIMEOUT.check(requestTimeout);
    Settings.MAX_CONNECTIONS.check(maxConnections);
  }

  static ServerConfig from(Values values) {
    return new ServerConfig(
        values.get(Settings.HOST),
        values.get(Settings.PORT),
        values.get(Settings.PUBLIC_URL),
        values.get(Settings.TRUSTED_PROXIES),
        tls(values.get(Settings.TLS_CERT_FILE), values.get(Settings.TLS_KEY_FILE)),
        values.get(Settings.MAX_BODY),
        values.get(Settings.SERVER_TIMEOUT),
        values.get(Settings.MAX_CONNECTIONS));
  }

  private static Optional<Tls> tls(Optional<Path> cert, Optional<Path> key) {
    if (cert.isPresent() != key.isPresent()) {
      throw new ConfigException(
          Settings.TLS_CERT_FILE.variable()
              + " and "
              + Settings.TLS_KEY_FILE.variable()
              + " belong together: set both for TLS, or neither for plain HTTP.");
    }
    return cert.flatMap(certFile -> key.map(keyFile -> new Tls(certFile, keyFile)));
  }
}
