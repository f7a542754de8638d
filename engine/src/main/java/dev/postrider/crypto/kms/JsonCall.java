package dev.postrider.crypto.kms;

import static java.util.Objects.requireNonNull;

import dev.postrider.json.Json;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * One call to a service, within limits of time and size: JSON request, JSON response.
 *
 * <p>The addresses of the host are checked before each call. The JVM caches a name for 30 seconds,
 * so the connection is made to an address that was checked.
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

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CONNECT_LIMIT)
          .build();

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
    return call(address, "POST", headers, HttpRequest.BodyPublishers.ofByteArray(body));
  }

  Answer get(ServiceAddress address, Map<String, String> headers) throws GeneralSecurityException {
    return call(address, "GET", headers, HttpRequest.BodyPublishers.noBody());
  }

  private Answer call(
      ServiceAddress address,
      String method,
      Map<String, String> headers,
      HttpRequest.BodyPublisher body)
      throws GeneralSecurityException {
    String host = address.uri().getHost();
    HttpRequest.Builder request = HttpRequest.newBuilder(address.uri()).method(method, body);
    headers.forEach(request::header);
    CompletableFuture<HttpResponse<byte[]>> pending = null;
    try {
      address.check(names.resolve(host));
      pending =
          client.sendAsync(
              request.build(),
              HttpResponse.BodyHandlers.limiting(
                  HttpResponse.BodyHandlers.ofByteArray(), MAX_RESPONSE_BYTES));
      HttpResponse<byte[]> answer = pending.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      return new Answer(answer.statusCode(), parsed(answer.body()));
    } catch (UnknownHostException e) {
      throw new GeneralSecurityException("the name " + host + " cannot be resolved", e);
    } catch (ExecutionException e) {
      throw new GeneralSecurityException(
          host + " did not respond: " + requireNonNull(e.getCause()).getMessage(), e.getCause());
    } catch (TimeoutException e) {
      pending.cancel(true);
      throw new GeneralSecurityException(
          host + " did not respond within " + limit.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      pending.cancel(true);
      Thread.currentThread().interrupt();
      throw new GeneralSecurityException("interrupted while waiting for " + host, e);
    }
  }

  private static JsonNode parsed(byte[] body) {
    try {
      return Json.MAPPER.readTree(body);
    } catch (JacksonException _) {
      return Json.MAPPER.missingNode(); // a proxy's error page, for instance
    }
  }
}
