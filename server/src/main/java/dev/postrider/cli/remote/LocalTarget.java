package dev.postrider.cli.remote;

import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.signature.Signable;
import dev.postrider.signature.SignatureHeader;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Posts messages to a URL on this machine, with their headers, and signed if there is a key. */
public final class LocalTarget implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Headers added between the sender and the server. */
  private static final Set<String> OF_THE_CONNECTION =
      Set.of(
          "host",
          "connection",
          "content-length",
          "content-encoding",
          "transfer-encoding",
          "accept-encoding",
          "expect",
          "upgrade",
          "http2-settings",
          "keep-alive",
          "te",
          "trailer");

  private final HttpClient client = Remote.http1(Duration.ofSeconds(5));
  private final URI url;
  private final @Nullable SigningKey key;

  private LocalTarget(URI url, @Nullable SigningKey key) {
    this.url = url;
    this.key = key;
  }

  /**
   * The target that the options of a command name.
   *
   * @param flag the option with the URL, for the error
   * @param secret empty: requests are not signed
   */
  public static LocalTarget of(String flag, String url, String secret) {
    return new LocalTarget(parsed(flag, url), key(secret));
  }

  private static URI parsed(String flag, String text) {
    try {
      URI uri = URI.create(text);
      if (uri.getHost() != null && String.valueOf(uri.getScheme()).startsWith("http")) {
        return uri;
      }
    } catch (IllegalArgumentException _) {
      // reported below
    }
    throw new UserError("Give the target URL: " + flag + " http://localhost:3000/hook");
  }

  private static @Nullable SigningKey key(String text) {
    try {
      return text.isEmpty() ? null : SigningKey.parse(text);
    } catch (IllegalArgumentException e) {
      throw new UserError("--" + e.getMessage());
    }
  }

  public URI url() {
    return url;
  }

  /**
   * The response to a message.
   *
   * @param status 0 without a response
   * @param text the status, or why there is no response
   */
  public record Answer(int status, String text) {
    public boolean ok() {
      return status >= 200 && status < 300;
    }
  }

  /**
   * Posts a message and prints its id, its type and the response.
   *
   * @param id the id that is sent and printed
   */
  public Answer bring(JsonNode message, String id, Terminal terminal) {
    Answer answer = answer(request(message, id));
    print(terminal, id, message.path("eventType").asString(), answer);
    return answer;
  }

  private HttpRequest request(JsonNode message, String id) {
    JsonNode payload = message.path("payload");
    String contentType = message.path("contentType").asString("");
    String text =
        ExactPayloads.isWrapped(message)
            ? payload.path("rawPayload").asString()
            : payload.toString();
    byte[] body =
        message.path("encoding").asString("").equals("base64")
            ? Base64.getDecoder().decode(text)
            : text.getBytes(StandardCharsets.UTF_8);
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("Content-Type", "application/json");
    message
        .path("headers")
        .properties()
        .forEach(header -> headers.put(header.getKey(), header.getValue().asString()));
    if (!contentType.isEmpty()) {
      headers.put("Content-Type", contentType);
    }
    long seconds = new SystemTime().nowMs() / 1000;
    if (key == null) {
      // The headers of the sender, if present, belong to a signature that is still valid.
      headers.putIfAbsent("webhook-id", id);
      headers.putIfAbsent("webhook-timestamp", String.valueOf(seconds));
    } else {
      Signable signable = new Signable(id, id, message.path("eventType").asString(), seconds, body);
      for (SignatureHeader header : SignatureScheme.byDefault().headers(List.of(key), signable)) {
        headers.put(header.name(), header.value());
      }
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url)
            .timeout(TIMEOUT)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach((name, value) -> add(request, name, value));
    return request.build();
  }

  private static void add(HttpRequest.Builder request, String name, String value) {
    if (OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
      return;
    }
    try {
      request.header(name, value);
    } catch (IllegalArgumentException _) {
      // a header that this client may not send; the others are still useful
    }
  }

  private Answer answer(HttpRequest request) {
    try {
      int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      return new Answer(status, String.valueOf(status));
    } catch (IOException e) {
      return new Answer(0, "no response (" + e.getClass().getSimpleName() + ")");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer(0, "interrupted");
    }
  }

  private static void print(Terminal terminal, String id, String type, Answer answer) {
    if (terminal.json()) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("id", id);
      line.put("eventType", type);
      line.put("answer", answer.text());
      terminal.out().println(JsonOutput.write(line));
    } else {
      terminal.out().println(id + "  " + type + "  -> " + answer.text());
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
