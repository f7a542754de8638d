package dev.postrider.bench.testbed;

import dev.postrider.bench.process.BenchJson;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Calls the API of the server to set up a run and to read its state. */
public final class ApiClient implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int PROBE_MS = 500;

  private final String root;
  private final String base;
  private final String token;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public ApiClient(String address, String token) {
    this.root = "http://" + address;
    this.base = root + "/api/v1";
    this.token = token;
  }

  /** Asked over a bare socket, so that the question costs next to nothing while a server starts. */
  static boolean healthy(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PROBE_MS);
      socket.setSoTimeout(PROBE_MS);
      socket
          .getOutputStream()
          .write(
              "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 2".length());
      return new String(start, StandardCharsets.US_ASCII).equals("HTTP/1.1 2");
    } catch (IOException e) {
      return false;
    }
  }

  public String createApplication(String name) {
    return id(post("/app", Map.of("name", name)));
  }

  /** An application with limits of its own. */
  public String createApplication(String name, Map<String, Integer> limits) {
    return id(post("/app", Map.of("name", name, "limits", limits)));
  }

  /** Deletes an application with its endpoints; its waiting deliveries are canceled. */
  public void deleteApplication(String application) {
    String path = "/app/" + application;
    send("DELETE " + path, request(path).DELETE().build());
  }

  /** An endpoint for all event types, or only for the given ones. */
  public String createEndpoint(String application, String url, List<String> eventTypes) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("url", url);
    if (!eventTypes.isEmpty()) {
      body.put("filterTypes", eventTypes);
    }
    return id(post("/app/" + application + "/endpoint", body));
  }

  private static String id(JsonNode answer) {
    return answer.get("id").asString();
  }

  public JsonNode post(String path, Object body) {
    return send(
        "POST " + path,
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(BenchJson.line(body)))
            .build());
  }

  public JsonNode get(String path) {
    return send("GET " + path, request(path).build());
  }

  /** The value of a metric without labels; 0 if there is none of this name. */
  public double metric(String name) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(root + "/metrics")).timeout(LIMIT).build();
    return text("GET /metrics", request)
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path))
        .timeout(LIMIT)
        .header("Authorization", "Bearer " + token);
  }

  private JsonNode send(String name, HttpRequest request) {
    String answer = text(name, request);
    return BenchJson.parse(answer.isEmpty() ? "{}" : answer, JsonNode.class);
  }

  private String text(String name, HttpRequest request) {
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() / 100 != 2) {
        throw new BenchFailure(
            name + " was answered " + response.statusCode() + ": " + response.body());
      }
      return response.body();
    } catch (IOException e) {
      throw new BenchFailure(name + " failed: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchFailure("interrupted", e);
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
