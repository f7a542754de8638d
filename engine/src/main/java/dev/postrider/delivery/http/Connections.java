package dev.postrider.delivery.http;

import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.HostSpelling;
import dev.postrider.delivery.http.address.LookupsExhausted;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.OptionNames;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.DetachedSocketFactory;
import org.apache.hc.client5.http.io.HttpClientConnectionOperator;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.HttpsSupport;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.config.RegistryBuilder;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.reactor.ssl.SSLBufferMode;
import org.apache.hc.core5.ssl.SSLContexts;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/** Connections to targets, direct or through the egress proxy: leased, opened, kept and evicted. */
final class Connections implements AutoCloseable {
  private static final int BUFFER_BYTES = 2048;
  private static final int MAX_EMPTY_LINES = 4;

  /**
   * Connections that were idle for longer are checked before use, because a connection that was
   * closed meanwhile costs a retry. The check is a blocking read of a millisecond, so it is for
   * connections that are likely to be closed: many servers close idle ones after 5 seconds.
   */
  private static final TimeValue CHECK_AFTER_IDLE = TimeValue.ofSeconds(5);

  /** More than these are not kept once a second has passed without use. */
  static final int MAX_IDLE = 2_000;

  private static final TimeValue CROWDED_IDLE = TimeValue.ofSeconds(1);
  private static final String[] TLS_VERSIONS = {"TLSv1.3", "TLSv1.2"};

  private final PoolingHttpClientConnectionManager pool;
  private final AddressGuard guard;
  private final @Nullable EgressProxyOptions proxy;
  private final OptionNames names;
  private final @Nullable HttpHost proxyHost;
  private final Timeout connectTimeout;
  private final Exchange exchange = new Exchange();
  private final int maxIdle;

  Connections(SenderSettings settings, AddressGuard guard, NameLookup proxyLookup, int maxIdle) {
    this.maxIdle = maxIdle;
    this.guard = guard;
    EgressProxyOptions chosen = settings.proxy();
    this.names = settings.names();
    boolean socks = chosen != null && chosen.kind() == EgressProxyOptions.Kind.SOCKS5;
    // Through SOCKS the connections are ordinary ones, with the address guard.
    this.proxy = socks ? null : chosen;
    this.proxyHost = proxy == null ? null : new HttpHost("http", proxy.host(), proxy.port());
    this.connectTimeout = Timeout.of(settings.connectTimeout());
    this.pool =
        pool(
            settings,
            proxy == null ? guard : unguarded(proxyLookup),
            socks && chosen != null
                ? _ -> new SocksSocket(chosen, unguarded(proxyLookup), settings.names())
                : _ -> new Socket());
  }

  /** A leased connection, open or to be opened. */
  ConnectionEndpoint lease(Target target)
      throws InterruptedException, ExecutionException, TimeoutException, UnknownHostException {
    if (proxyHost != null) {
      guard.resolve(target.host());
    }
    return pool.lease("", route(target), Timeout.ZERO_MILLISECONDS, null)
        .get(Timeout.ZERO_MILLISECONDS);
  }

  void open(ConnectionEndpoint endpoint, Target target) throws IOException, HttpException {
    HttpClientContext context = HttpClientContext.create();
    if (proxy == null) {
      pool.connect(endpoint, connectTimeout, context);
      return;
    }
    connectProxy(endpoint, proxy, context);
    if (target.isHttps()) {
      tunnel(endpoint, target, proxy, context);
    }
  }

  private void connectProxy(
      ConnectionEndpoint endpoint, EgressProxyOptions through, HttpClientContext context)
      throws IOException {
    try {
      pool.connect(endpoint, connectTimeout, context);
    } catch (LookupsExhausted e) {
      throw e;
    } catch (IOException e) {
      throw ProxyFault.unreachable(through, e);
    }
  }

  ClassicHttpResponse exchange(ConnectionEndpoint endpoint, WireRequest request)
      throws IOException, HttpException {
    return endpoint.execute("", request, exchange, null);
  }

  /** The response of the target; a response of the proxy about our request does not count. */
  ClassicHttpResponse fromTarget(ClassicHttpResponse response, Target target) throws ProxyFault {
    if (proxy != null
        && !target.isHttps()
        && response.getCode() == HttpStatus.SC_PROXY_AUTHENTICATION_REQUIRED) {
      throw ProxyFault.unauthorized(proxy, names);
    }
    return response;
  }

  WireRequest request(Target target, String method, HeaderList headers, byte[] body) {
    if (proxy == null || target.isHttps()) {
      return WireRequest.of(method, target.head(method), headers, body);
    }
    HeaderList proxied = new HeaderList().addAll(headers);
    if (proxy.login().isPresent()) {
      proxied.add("Proxy-Authorization", authorization(proxy.login().get()));
    }
    return WireRequest.of(method, target.proxiedHead(method), proxied, body);
  }

  void keep(ConnectionEndpoint endpoint, TimeValue idle) {
    pool.release(endpoint, null, idle);
  }

  void discard(ConnectionEndpoint endpoint) {
    endpoint.close(CloseMode.IMMEDIATE);
    pool.release(endpoint, null, null);
  }

  /**
   * A burst to many hosts leaves one idle connection per attempt; without a limit they would use
   * memory and descriptors until they expire.
   */
  void evictIdle() {
    pool.closeExpired();
    if (idle() > maxIdle) {
      pool.closeIdle(CROWDED_IDLE);
    }
  }

  int leased() {
    return pool.getTotalStats().getLeased();
  }

  int idle() {
    return pool.getTotalStats().getAvailable();
  }

  @Override
  public void close() {
    pool.close(CloseMode.IMMEDIATE);
  }

  private HttpRoute route(Target target) {
    return proxyHost == null
        ? target.route()
        : new HttpRoute(
            target.route().getTargetHost(),
            target.route().getTargetName(),
            null,
            proxyHost,
            target.isHttps());
  }

  /** The value of a Proxy-Authorization header. */
  private static String authorization(EgressProxyOptions.Login login) {
    String pair = login.user() + ":" + login.password().reveal();
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  private void tunnel(
      ConnectionEndpoint endpoint,
      Target target,
      EgressProxyOptions through,
      HttpClientContext context)
      throws IOException, HttpException {
    String authority = vetted(target) + ":" + target.port();
    String head = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
    HeaderList headers = new HeaderList();
    if (through.login().isPresent()) {
      headers.add("Proxy-Authorization", authorization(through.login().get()));
    }
    WireRequest request =
        WireRequest.of("CONNECT", head.getBytes(StandardCharsets.US_ASCII), headers, new byte[0]);
    ClassicHttpResponse response;
    try {
      response = exchange(endpoint, request);
    } catch (IOException e) {
      throw ProxyFault.broken(through, e);
    }
    if (response.getCode() == HttpStatus.SC_PROXY_AUTHENTICATION_REQUIRED) {
      throw ProxyFault.unauthorized(through, names);
    }
    if (response.getCode() >= 300) {
      throw new ProxyRefused(
          "the egress proxy responded with status "
              + response.getCode()
              + " for "
              + target.authority());
    }
    pool.upgrade(endpoint, context);
  }

  /**
   * The checked address to connect to: the proxy must not resolve the name again and get another
   * one. An IPv4 address if there is one, because the proxy may not have IPv6.
   */
  private String vetted(Target target) throws UnknownHostException {
    InetAddress[] addresses = guard.resolve(target.host());
    InetAddress chosen = addresses[0];
    for (InetAddress address : addresses) {
      if (address instanceof Inet4Address) {
        chosen = address;
        break;
      }
    }
    String literal = chosen.getHostAddress();
    return chosen instanceof Inet4Address ? literal : "[" + literal + "]";
  }

  private static DnsResolver unguarded(NameLookup lookup) {
    return new DnsResolver() {
      @Override
      public InetAddress[] resolve(String host) throws UnknownHostException {
        InetAddress literal = HostSpelling.address(host);
        return literal == null ? lookup.addresses(host) : new InetAddress[] {literal};
      }

      @Override
      public String resolveCanonicalHostname(String host) {
        return host;
      }
    };
  }

  private static PoolingHttpClientConnectionManager pool(
      SenderSettings settings, DnsResolver resolver, DetachedSocketFactory sockets) {
    WireRequest.Writer writer = new WireRequest.Writer();
    Timeout connectTimeout = Timeout.of(settings.connectTimeout());
    return new Pools(sockets)
        .setConnectionFactory(
            ManagedHttpClientConnectionFactory.builder()
                .http1Config(http1(settings))
                .requestWriterFactory(() -> writer)
                .build())
        .setTlsSocketStrategy(new FirstUseTls(() -> tls(settings)))
        .setDefaultTlsConfig(TlsConfig.custom().setHandshakeTimeout(connectTimeout).build())
        .setDnsResolver(resolver)
        // One queue per host and no lock over all of them.
        .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
        .setConnPoolPolicy(PoolReusePolicy.LIFO)
        .setMaxConnPerRoute(settings.connectionsPerHost())
        // Reads have no timeout of their own: the deadline of an attempt closes the connection.
        .setDefaultSocketConfig(
            SocketConfig.custom().setTcpNoDelay(true).setSoTimeout(Timeout.DISABLED).build())
        .setDefaultConnectionConfig(
            ConnectionConfig.custom()
                .setConnectTimeout(connectTimeout)
                .setValidateAfterInactivity(CHECK_AFTER_IDLE)
                .build())
        .build();
  }

  /**
   * A builder of connection pools that uses our socket factory, because the library has no option
   * for it.
   */
  private static final class Pools extends PoolingHttpClientConnectionManagerBuilder {
    private final DetachedSocketFactory sockets;

    Pools(DetachedSocketFactory sockets) {
      this.sockets = sockets;
    }

    @Override
    protected HttpClientConnectionOperator createConnectionOperator(
        SchemePortResolver ports, DnsResolver names, TlsSocketStrategy tls) {
      return new DefaultHttpClientConnectionOperator(
          sockets,
          ports,
          names,
          RegistryBuilder.<TlsSocketStrategy>create().register(URIScheme.HTTPS.id, tls).build());
    }
  }

  private static Http1Config http1(SenderSettings settings) {
    return Http1Config.custom()
        .setBufferSize(BUFFER_BYTES)
        .setMaxHeaderCount(settings.headerCount())
        .setMaxLineLength(settings.lineBytes())
        .setMaxEmptyLineCount(MAX_EMPTY_LINES)
        .build();
  }

  private static DefaultClientTlsStrategy tls(SenderSettings settings) {
    SSLContext trust = settings.trust();
    return new DefaultClientTlsStrategy(
        trust == null ? SSLContexts.createDefault() : trust,
        TLS_VERSIONS,
        null,
        SSLBufferMode.STATIC,
        HostnameVerificationPolicy.BOTH,
        HttpsSupport.getDefaultHostnameVerifier());
  }

  static TimeValue idle(Duration ours, int granted) {
    TimeValue kept = TimeValue.of(ours);
    // One second less than allowed, so that we are the first to close.
    return granted < 0
        ? kept
        : TimeValue.ofSeconds(Math.min(ours.toSeconds(), Math.max(1, granted - 1)));
  }
}
