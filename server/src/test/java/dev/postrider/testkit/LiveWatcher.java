package dev.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Scanner;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** A client of server-sent events. */
public final class LiveWatcher implements AutoCloseable {
  public final List<JsonNode> events = Collections.synchronizedList(new ArrayList<>());
  private final HttpClient client = HttpClient.newHttpClient();
  private final InputStream stream;
  private final Signals signals = new Signals();

  public LiveWatcher(App app, String query, String lastEventId)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + app.port() + "/api/v1/live" + query))
            .header("Authorization", "Bearer " + GatewayFixture.KEY);
    if (!lastEventId.isEmpty()) {
      request.header("Last-Event-ID", lastEventId);
    }
    HttpResponse<InputStream> response = client.send(request.build(), BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("content-type").orElse(""))
        .isEqualTo("text/event-stream");
    stream = response.body();
    Thread.ofVirtual().start(this::read);
  }

  private void read() {
    try (Scanner lines = new Scanner(stream, StandardCharsets.UTF_8)) {
      while (lines.hasNextLine()) {
        String line = lines.nextLine();
        if (line.startsWith("data: ")) {
          events.add(Json.MAPPER.readTree(line.substring(6)));
          signals.signal();
        }
      }
    }
  }

  public JsonNode await(String what, Predicate<JsonNode> wanted) {
    signals.await(what, () -> List.copyOf(events).stream().anyMatch(wanted));
    return List.copyOf(events).stream().filter(wanted).findFirst().orElseThrow();
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
