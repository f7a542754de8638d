package dev.postrider.bench.scenario;

import dev.postrider.bench.load.RequestTemplate;
import dev.postrider.bench.names.BenchNames;
import dev.postrider.bench.process.BenchJson;
import dev.postrider.bench.testbed.ApiClient;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Testbed;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The load that one application produces to disturb the others: a number of endpoints of one kind,
 * each of which gets all messages.
 *
 * @param endpointFields what each endpoint asks for, and the application is granted
 */
public record BackgroundLoad(
    String name,
    String title,
    int endpoints,
    int messages,
    int payloadBytes,
    Map<String, Integer> endpointFields,
    Target target) {
  /** The URL of an endpoint by its number. */
  @FunctionalInterface
  interface Target {
    String url(Testbed testbed, int index);
  }

  private static final int SMALL = 500;

  /** As much as fits into the largest request body that a server takes by default. */
  private static final int LARGE = 1_000_000;

  private static final int BATCH_MESSAGES = 100;
  private static final Target HUNG = (testbed, index) -> testbed.sinkUrl("hang", index);

  private static final List<BackgroundLoad> ALL =
      List.of(
          of("hung50", "50 hung endpoints, 120 messages", 50, 120, HUNG),
          of("hung500", "500 hung endpoints, 48 messages", 500, 48, HUNG),
          of(
              "slow10s",
              "50 endpoints that respond after 10 s, 120 messages",
              50,
              120,
              (testbed, index) -> testbed.sinkUrl("slow-10000", index)),
          new BackgroundLoad(
              "granted",
              "a hung endpoint with maxInFlight 10,000 and a timeout of 60 s, 4,500 messages",
              1,
              4_500,
              SMALL,
              Map.of("maxInFlight", 10_000, "timeoutMs", 60_000),
              HUNG),
          new BackgroundLoad(
              "large", "50 hung endpoints, 20 messages of 1 MB", 50, 20, LARGE, Map.of(), HUNG),
          of(
              "names500",
              "500 endpoints whose DNS lookups hang, 12 messages",
              500,
              12,
              (testbed, index) -> testbed.url(BenchNames.hung(index), "ok", index)),
          of(
              "refused500",
              "500 endpoints that refuse connections, 12 messages",
              500,
              12,
              Testbed::refusingUrl),
          of("lanes10k", "10,000 hung endpoints, 2 messages", 10_000, 2, HUNG));

  /** For the help text, which must be a constant. */
  public static final String NAMES =
      "hung50, hung500, slow10s, granted, large, names500, refused500, lanes10k.";

  private static BackgroundLoad of(
      String name, String title, int endpoints, int messages, Target target) {
    return new BackgroundLoad(name, title, endpoints, messages, SMALL, Map.of(), target);
  }

  /** Those with the given names; all of them without any. */
  public static List<BackgroundLoad> named(List<String> names) {
    if (names.isEmpty()) {
      return ALL;
    }
    return names.stream().map(BackgroundLoad::named).toList();
  }

  private static BackgroundLoad named(String name) {
    return ALL.stream()
        .filter(load -> load.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new BenchFailure("--kinds: there is no '" + name + "'; choose from " + NAMES));
  }

  /** A tenth of the endpoints, for a run that only shows that all works. */
  BackgroundLoad quick() {
    return new BackgroundLoad(
        name, title, Math.max(1, endpoints / 10), messages, payloadBytes, endpointFields, target);
  }

  /** Creates the application and its endpoints and returns its id. */
  String createTenant(Testbed testbed, ApiClient api) {
    Map<String, Integer> limits = new LinkedHashMap<>(endpointFields);
    limits.put("maxEndpoints", endpoints);
    String tenant = api.createApplication("noisy: " + name, limits);
    for (int i = 0; i < endpoints; i++) {
      Map<String, Object> fields = new LinkedHashMap<>(endpointFields);
      fields.put("url", target.url(testbed, i));
      api.post("/app/" + tenant + "/endpoint", fields);
    }
    return tenant;
  }

  /** Sends all messages, in batches as large as a request body may be. */
  void send(ApiClient api, String tenant) {
    String payload = RequestTemplate.payload(payloadBytes);
    Map<String, Object> message =
        Map.of(
            "eventType", Session.EVENT_TYPE, "payload", BenchJson.parse(payload, JsonNode.class));
    int batch = Math.clamp(LARGE / payloadBytes, 1, BATCH_MESSAGES);
    for (int sent = 0; sent < messages; sent += batch) {
      int next = Math.min(batch, messages - sent);
      api.post(
          "/app/" + tenant + "/msg/batch", Map.of("messages", Collections.nCopies(next, message)));
    }
  }
}
