package dev.postrider.api;

import static java.util.Objects.requireNonNull;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Bodies;
import dev.postrider.api.http.Dispatcher;
import dev.postrider.api.http.HttpSurface;
import dev.postrider.api.http.IdempotentCalls;
import dev.postrider.api.http.ManagementRate;
import dev.postrider.api.http.RequestIds;
import dev.postrider.api.http.Router;
import dev.postrider.api.http.connection.HttpConnections;
import dev.postrider.config.ServerConfig;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.time.TimeSource;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.socket.SocketOptions;
import io.helidon.common.tls.Tls;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.HttpRouting;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The HTTP server of the API. */
public final class ApiServer implements AutoCloseable {
  static final int BACKLOG = 1_024;

  /** How long requests in progress may take when the server stops. */
  static final Duration GRACE = Duration.ofSeconds(10);

  private final ServerConfig config;
  private final Router router;
  private final HttpConnections connections;
  private @Nullable WebServer server;

  /** The objects that handle every request, independent of its route. */
  public record HttpServices(
      ApiKeys keys,
      IdempotentCalls repeated,
      ManagementRate rate,
      TimeSource time,
      SecureRandom random) {}

  public ApiServer(
      ServerConfig config, HttpServices services, List<ApiArea> areas, HttpSurface offer) {
    this.config = config;
    this.router = new Router();
    areas.forEach(router::add);
    router.add(new DocsArea(router::routes));
    Dispatcher dispatcher =
        new Dispatcher(
            router,
            services.keys(),
            new Bodies(config.maxBodyBytes()),
            services.repeated(),
            new RequestIds(services.random()),
            offer,
            services.rate());
    this.connections = new HttpConnections(dispatcher, config.requestTimeout(), services.time());
  }

  /** The route table. */
  public List<Router.Route> routes() {
    return router.routes();
  }

  /** The prefixes of paths that stand for another prefix. */
  public Map<String, String> aliases() {
    return router.aliases();
  }

  /** Loads the classes of the web server in advance, which takes a while. */
  public static void load() {
    HttpRouting.Builder _ = HttpRouting.builder();
  }

  /** Listens; with port 0 on a free one. */
  public void start() {
    WebServerConfig.Builder builder =
        WebServer.builder()
            .host(config.host())
            .port(config.port())
            .backlog(BACKLOG)
            .shutdownHook(false)
            .shutdownGracePeriod(GRACE)
            .maxTcpConnections(config.maxConnections())
            .connectionOptions(
                SocketOptions.builder()
                    .readTimeout(config.requestTimeout())
                    .tcpNoDelay(true)
                    .build())
            // The only one, so that a connection is ours before its first byte.
            .protocolsDiscoverServices(false)
            .addConnectionSelector(connections);
    config.tls().ifPresent(tls -> builder.tls(tls(tls)));
    connections.start();
    server = builder.build().start();
  }

  /** Reports TLS files that cannot be used, before anything is opened or started. */
  public static void checkFiles(ServerConfig config) {
    config.tls().ifPresent(ApiServer::tls);
  }

  private static Tls tls(ServerConfig.Tls files) {
    try {
      Keys keys =
          Keys.builder()
              .pem(
                  pem ->
                      pem.key(Resource.create(files.keyFile()))
                          .certChain(Resource.create(files.certFile())))
              .build();
      return Tls.builder()
          .privateKey(keys.privateKey().orElseThrow())
          .privateKeyCertChain(keys.certChain())
          .build();
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "cannot use POSTRIDER_TLS_CERT_FILE %s with POSTRIDER_TLS_KEY_FILE %s: the first must contain a certificate chain and the second its unencrypted PKCS #8 private key, both in PEM format"
              .formatted(files.certFile(), files.keyFile()),
          e);
    }
  }

  /** The port that it listens on. */
  public int port() {
    return requireNonNull(server, "the API server is not started").port();
  }

  /** Stops listening, waits for requests in progress, then closes. */
  @Override
  public void close() {
    if (server != null) {
      server.stop();
    }
    connections.close();
  }
}
