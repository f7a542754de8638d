package dev.postrider.crypto.kms;

import static java.util.Objects.requireNonNull;

import dev.postrider.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.BasicHttpClientConnectionManager;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.config.RegistryBuilder;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * One call to a service, within limits of time and size: JSON request, JSON response.
 *
 * <p>Each call has a connection of its own, which is made to one of the addresses that {@link
 * ServiceAddress} checked: the name is not looked up again in between.
 */
final class JsonCall {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int MAX_SHOWN = 200;

  /** More than ten times the largest response of a service, an encrypted data key or a token. */
  static final int MAX_RESPONSE_BYTES = 64 * 1024;

  /** Resolves the name of a host. */
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  /** The status and JSON body of an HTTP response; the status may be an error. */
  record Answer(int status, JsonNode body) {
    boolean ok() {
      return status >= 200 && status < 300;
    }

    /** The field, which a successful response has. */
    String text(String... path) throws GeneralSecurityException {
      JsonNode found = body;
      for (String name : path) {
        found = found.path(name);
      }
      if (!found.isString()) {
        throw new GeneralSecurityException(
            "the response does not have the field " + String.join(".", path));
      }
      return found.asString();
    }

    byte[] bytes(String... path) throws GeneralSecurityException {
      try {
        return Base64.getDecoder().decode(text(path));
      } catch (IllegalArgumentException _) {
        throw new GeneralSecurityException(String.join(".", path) + " is not base64");
      }
    }

    GeneralSecurityException refusal() {
      String text = body.toString();
      return new GeneralSecurityException(
          "the service responded with status "
              + status
              + " "
              + (text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text));
    }
  }

  private final Resolver names;
  private final Duration limit;

  /**
   * @param limit of a whole call
   */
  JsonCall(Resolver names, Duration limit) {
    this.names = names;
    this.limit = limit;
  }

  static JsonCall create() {
    return new JsonCall(InetAddress::getAllByName, LIMIT);
  }

  Answer post(ServiceAddress address, Map<String, String> headers, byte[] body)
      throws GeneralSecurityException {
    HttpPost request = new HttpPost(address.uri());
    request.setEntity(new ByteArrayEntity(body, null));
    return call(address, request, headers);
  }

  Answer get(ServiceAddress address, Map<String, String> headers) throws GeneralSecurityException {
    return call(address, new HttpGet(address.uri()), headers);
  }

  private Answer call(
      ServiceAddress address, HttpUriRequestBase request, Map<String, String> headers)
      throws GeneralSecurityException {
    String host = address.uri().getHost();
    headers.forEach(request::setHeader);
    FutureTask<Answer> exchange = new FutureTask<>(() -> exchange(address, request));
    // A platform thread, because looking up a name pins the carrier of a virtual one.
    Thread.ofPlatform().daemon().name("kms " + host).start(exchange);
    try {
      return exchange.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw switch (requireNonNull(e.getCause())) {
        case UnknownHostException unknown
            when unknown.getCause() instanceof GeneralSecurityException refused ->
            refused;
        case UnknownHostException unknown ->
            new GeneralSecurityException("the name " + host + " cannot be resolved", unknown);
        case Throwable failed ->
            new GeneralSecurityException(host + " did not respond: " + failed.getMessage(), failed);
      };
    } catch (TimeoutException e) {
      request.abort();
      throw new GeneralSecurityException(
          host + " did not respond within " + limit.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      request.abort();
      Thread.currentThread().interrupt();
      throw new GeneralSecurityException("interrupted while waiting for " + host, e);
    }
  }

  private Answer exchange(ServiceAddress address, HttpUriRequestBase request) throws IOException {
    try (CloseableHttpClient client = client(address)) {
      return client.execute(
          request, response -> new Answer(response.getCode(), parsed(body(response.getEntity()))));
    }
  }

  private CloseableHttpClient client(ServiceAddress address) {
    BasicHttpClientConnectionManager connections =
        BasicHttpClientConnectionManager.create(
            null,
            new CheckedNames(address),
            RegistryBuilder.<TlsSocketStrategy>create()
                .register(URIScheme.HTTPS.id, DefaultClientTlsStrategy.createSystemDefault())
                .build(),
            null);
    connections.setConnectionConfig(
        ConnectionConfig.custom()
            .setConnectTimeout(Timeout.of(CONNECT_LIMIT))
            .setSocketTimeout(Timeout.of(limit))
            .build());
    return HttpClients.custom()
        .setConnectionManager(connections)
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableContentCompression()
        .disableCookieManagement()
        .disableAuthCaching()
        .disableDefaultUserAgent()
        .build();
  }

  private static byte[] body(@Nullable HttpEntity entity) throws IOException {
    if (entity == null) {
      return new byte[0];
    }
    byte[] body = entity.getContent().readNBytes(MAX_RESPONSE_BYTES + 1);
    if (body.length > MAX_RESPONSE_BYTES) {
      throw new IOException("the response has more than " + MAX_RESPONSE_BYTES + " bytes");
    }
    return body;
  }

  private static JsonNode parsed(byte[] body) {
    try {
      return Json.MAPPER.readTree(body);
    } catch (JacksonException _) {
      return Json.MAPPER.missingNode(); // a proxy's error page, for instance
    }
  }

  /** The connection is made to one of the addresses that were checked. */
  private final class CheckedNames implements DnsResolver {
    private final ServiceAddress service;

    CheckedNames(ServiceAddress service) {
      this.service = service;
    }

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      InetAddress[] addresses = names.resolve(host);
      try {
        service.check(addresses);
      } catch (GeneralSecurityException e) {
        UnknownHostException refused = new UnknownHostException(host);
        refused.initCause(e);
        throw refused;
      }
      return addresses;
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }
}
