package dev.postrider.api;

import static java.util.Objects.requireNonNull;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Bodies;
import dev.postrider.api.http.Dispatcher;
import dev.postrider.api.http.Errors;
import dev.postrider.api.http.HttpSurface;
import dev.postrider.api.http.IdempotentCalls;
import dev.postrider.api.http.ManagementRate;
import dev.postrider.api.http.RequestIds;
import dev.postrider.api.http.Router;
import dev.postrider.api.http.connection.PlainBodies;
import dev.postrider.api.http.connection.RequestLimits;
import dev.postrider.api.http.connection.RequestTimeouts;
import dev.postrider.config.ServerConfig;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.time.TimeSource;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.socket.SocketOptions;
import io.helidon.common.tls.Tls;
import io.helidon.http.DirectHandler;
import io.helidon.http.DirectHandler.EventType;
import io.helidon.http.DirectHandler.TransportResponse;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.ErrorHandling;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The HTTP server of the API. */
public final class ApiServer implements AutoCloseable {
  static final int BACKLOG = 1_024;

  /** Helidon counts a little differently; our own count decides. */
  private static final int SLACK_BYTES = 1_024;

  /** How long requests in progress may take when the server stops. */
  static final Duration GRACE = Duration.ofSeconds(10);

  private final ServerConfig config;
  private final RequestTimeouts slow;
  private final RequestIds requestIds;
  private final Router router;
  private final Dispatcher dispatcher;
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
    this.requestIds = new RequestIds(services.random());
    this.slow =
        new RequestTimeouts(
            Http1ConnectionSelector.builder()
                .config(
                    Http1Config.builder()
                        .maxHeadersSize(RequestLimits.MAX_HEADERS_BYTES + SLACK_BYTES)
                        .maxPrologueLength(RequestLimits.MAX_REQUEST_LINE_BYTES + SLACK_BYTES)
                        // RequestHead has already validated it, and accepts the [] that clients
                        // send.
                        .validatePrologue(false)
                        .build())
                .build(),
            config.requestTimeout(),
            services.time());
    this.router = new Router();
    areas.forEach(router::add);
    router.add(new DocsArea(router::routes));
    this.dispatcher =
        new Dispatcher(
            router,
            services.keys(),
            new Bodies(config.maxBodyBytes(), slow),
            slow,
            services.repeated(),
            requestIds,
            offer,
            services.rate());
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
            .addConnectionSelector(slow)
            .contentEncoding(new PlainBodies())
            .errorHandling(ErrorHandling.builder().includeEntity(true).build())
            .directHandlers(transportErrors())
            .routing(routing -> routing.any(dispatcher));
    config.tls().ifPresent(tls -> builder.tls(tls(tls)));
    slow.start();
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

  /** Errors found before a request reaches us get the same kind of body. */
  private DirectHandlers transportErrors() {
    DirectHandler handler =
        (request, type, status, headers, message) ->
            TransportResponse.builder()
                .status(status)
                .headers(headers)
                .header(HeaderNames.CONTENT_TYPE, "application/json")
                .header(RequestIds.HEADER, requestIds.next())
                .header(Dispatcher.NO_SNIFF)
                .entity(
                    JsonOut.bytes(
                        out ->
                            out.object(
                                o ->
                                    o.text("code", Errors.NOT_HTTP)
                                        .text("detail", Errors.notHttp(message)))))
                .build();
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    for (EventType type : EventType.values()) {
      handlers.addHandler(type, handler);
    }
    return handlers.build();
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
    slow.close();
  }
}
