package dev.postrider.cli.command;

import dev.postrider.cli.Specs;
import dev.postrider.cli.remote.ExactPayloads;
import dev.postrider.cli.remote.Remote;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider listen}: forwards messages of an application to a URL on this machine. */
public final class ListenCommand extends FollowCommand {
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

  @Override
  public CommandSpec spec() {
    return options(
            Specs.remote(
                "listen",
                "Forwards new messages of an application from the server to a URL on this machine."
                    + " Reconnects by itself when the connection to the server is lost."))
        .option("--to", "URL", "URL to post the messages to, such as http://localhost:3000/hook.")
        .option("--secret", "SECRET", "Signs the requests with this endpoint secret.")
        .example("postrider listen acme --to http://localhost:3000/hook")
        .example("postrider listen github --to http://localhost:3000 --since 1h --limit 10")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    URI target = target(arguments.matchedOptionValue("--to", ""));
    SigningKey key = key(arguments.matchedOptionValue("--secret", ""));
    HttpClient client = Remote.http1(Duration.ofSeconds(5));
    try (Remote remote = Remote.of(arguments, terminal)) {
      terminal
          .err()
          .println(
              "forwarding messages of %s at %s to %s; press Ctrl-C to stop"
                  .formatted(arguments.matchedPositionalValue(0, ""), remote.base(), target));
      terminal.err().flush();
      return follow(
          arguments, terminal, remote, message -> bring(client, target, key, message, terminal));
    } finally {
      client.shutdownNow();
    }
  }

  private static URI target(String text) {
    try {
      URI uri = URI.create(text);
      if (uri.getHost() != null && String.valueOf(uri.getScheme()).startsWith("http")) {
        return uri;
      }
    } catch (IllegalArgumentException _) {
      // reported below
    }
    throw new UserError("Give the target URL: --to http://localhost:3000/hook");
  }

  private static @Nullable SigningKey key(String text) {
    try {
      return text.isEmpty() ? null : SigningKey.parse(text);
    } catch (IllegalArgumentException e) {
      throw new UserError("--" + e.getMessage());
    }
  }

  private static void bring(
      HttpClient client,
      URI target,
      @Nullable SigningKey key,
      JsonNode message,
      Terminal terminal) {
    String id = message.path("id").asString();
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
        HttpRequest.newBuilder(target)
            .timeout(TIMEOUT)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach((name, value) -> add(request, name, value));
    print(terminal, id, message.path("eventType").asString(), answer(client, request.build()));
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

  private static String answer(HttpClient client, HttpRequest request) {
    try {
      return String.valueOf(
          client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
    } catch (IOException e) {
      return "no response (" + e.getClass().getSimpleName() + ")";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private static void print(Terminal terminal, String id, String type, String answer) {
    if (terminal.json()) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("id", id);
      line.put("eventType", type);
      line.put("answer", answer);
      terminal.out().println(JsonOutput.write(line));
    } else {
      terminal.out().println(id + "  " + type + "  -> " + answer);
    }
  }
}
