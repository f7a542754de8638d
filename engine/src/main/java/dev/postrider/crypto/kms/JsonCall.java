package dev.postrider.crypto.kms;

import dev.postrider.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** One call to a service with a timeout: JSON request, JSON response. */
final class JsonCall {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int MAX_SHOWN = 200;

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
          "it responded with status "
              + status
              + " "
              + (text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text));
    }
  }

  private final HttpClient client;

  private JsonCall(HttpClient client) {
    this.client = client;
  }

  static JsonCall create() {
    return new JsonCall(
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_LIMIT)
            .build());
  }

  Answer post(URI uri, Map<String, String> headers, byte[] body) throws GeneralSecurityException {
    return call(uri, "POST", headers, HttpRequest.BodyPublishers.ofByteArray(body));
  }

  Answer get(URI uri, Map<String, String> headers) throws GeneralSecurityException {
    return call(uri, "GET", headers, HttpRequest.BodyPublishers.noBody());
  }

  private Answer call(
      URI uri, String method, Map<String, String> headers, HttpRequest.BodyPublisher body)
      throws GeneralSecurityException {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(LIMIT).method(method, body);
    headers.forEach(request::header);
    try {
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new Answer(answer.statusCode(), parsed(answer.body()));
    } catch (IOException e) {
      throw new GeneralSecurityException(uri.getHost() + " did not respond: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GeneralSecurityException("interrupted while waiting for " + uri.getHost(), e);
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
