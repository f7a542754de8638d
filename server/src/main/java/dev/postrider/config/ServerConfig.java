package dev.postrider.config;

import dev.postrider.options.Secret;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of the HTTP server.
 *
 * @param port 0 means any free port
 * @param trustedProxies addresses and CIDRs whose X-Forwarded-For and X-Real-IP are trusted
 * @param requestTimeout timeout for receiving a complete request
 * @param echo whether the echo receiver is enabled; empty means only on a loopback address
 * @param metricsToken what a request for the metrics must present; empty means nothing
 * @param metricsLabels how many sources, handlers and queues have metrics of their own
 * @param managementRate calls other than sends per second and caller; 0 means no limit
 */
public record ServerConfig(
    String host,
    int port,
    Optional<URI> publicUrl,
    List<String> trustedProxies,
    Optional<Tls> tls,
    long maxBodyBytes,
    Duration requestTimeout,
    int maxConnections,
    Optional<Boolean> echo,
    Optional<Secret> metricsToken,
    int metricsLabels,
    int managementRate) {
  public record Tls(Path certFile, Path keyFile) {}

  public ServerConfig {
    trustedProxies = List.copyOf(trustedProxies);
    ServerSettings.HOST.check(host);
    ServerSettings.PORT.check(port);
    ServerSettings.PUBLIC_URL.check(publicUrl);
    ServerSettings.TRUSTED_PROXIES.check(trustedProxies);
    ServerSettings.MAX_BODY.check(maxBodyBytes);
    ServerSettings.SERVER_TIMEOUT.check(requestTimeout);
    ServerSettings.MAX_CONNECTIONS.check(maxConnections);
    ServerSettings.METRICS_TOKEN.check(metricsToken);
    ServerSettings.METRICS_LABELS.check(metricsLabels);
    ServerSettings.MANAGEMENT_RATE.check(managementRate);
  }

  /** Whether the echo receiver is enabled: it can be called without authentication. */
  public boolean hasEcho() {
    return echo.orElseGet(this::isOnLoopback);
  }

  /** Whether only programs on this machine can connect. */
  public boolean isOnLoopback() {
    if (host.equals("localhost")) {
      return true;
    }
    try {
      return InetAddress.ofLiteral(host).isLoopbackAddress();
    } catch (IllegalArgumentException _) {
      return false; // a host name, whose address may change
    }
  }

  static ServerConfig from(Values values) {
    return new ServerConfig(
        values.get(ServerSettings.HOST),
        values.get(ServerSettings.PORT),
        values.get(ServerSettings.PUBLIC_URL),
        values.get(ServerSettings.TRUSTED_PROXIES),
        tls(values.get(ServerSettings.TLS_CERT_FILE), values.get(ServerSettings.TLS_KEY_FILE)),
        values.get(ServerSettings.MAX_BODY),
        values.get(ServerSettings.SERVER_TIMEOUT),
        values.get(ServerSettings.MAX_CONNECTIONS),
        values.get(ServerSettings.ECHO),
        values.get(ServerSettings.METRICS_TOKEN),
        values.get(ServerSettings.METRICS_LABELS),
        values.get(ServerSettings.MANAGEMENT_RATE));
  }

  private static Optional<Tls> tls(Optional<Path> cert, Optional<Path> key) {
    if (cert.isPresent() != key.isPresent()) {
      throw new ConfigException(
          ServerSettings.TLS_CERT_FILE.variable()
              + " and "
              + ServerSettings.TLS_KEY_FILE.variable()
              + " must be set together: set both for TLS, or neither for plain HTTP.");
    }
    return cert.flatMap(certFile -> key.map(keyFile -> new Tls(certFile, keyFile)));
  }
}
