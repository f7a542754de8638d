package dev.postrider.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The calls that change something, and the errors that only one call has. */
final class Steps {
  private static final String RETENTION =
      """
      "retention":{"deliveredHours":48,"deadLetterHours":49,"unroutedHours":50}\
      """;
  private static final String APPLICATION =
      """
      {"name":"Full","metadata":{"a":"b"},"throttleRate":50,"retryPolicy":"5s","defaultSubscription":["a.*"],"idempotencyWindowMs":60000,
       "limits":{"maxEndpoints":9,"requestsPerSecond":99,"maxPayloadBytes":9999,"maxInFlight":9,"timeoutMs":9000,
         "ordering":"fifo"},
      """
          + RETENTION
          + "}";
  private static final String ENDPOINT_FIELDS =
      """
      "disabled":true,"description":"d","metadata":{"a":"b"},"eventTypes":["a.b"],"channels":["c"],"throttleRate":5,"throttleBurst":9,"throttlePeriod":"minute",
      "headers":{"X-A":"1"},"timeoutMs":5000,"allowedIps":["127.0.0.0/8"],"maxInFlight":5,"initialDelayMs":5,"eventTtlMs":60000,"retryPolicy":"5s","filter":"true","dedupe":"payload.id",
      "transform":"$","transformEnabled":false,"onTransformError":"send_original","forwardHeaders":["x-a"],"secret":"a-long-enough-secret",
      "signatureScheme":{"type":"sha256","header":"X-Signature","eventHeader":"X-Event",
        "deliveryIdHeader":"X-Delivery","timestampHeader":"X-Time"}
      """;
  private static final String EVENT_TYPE =
      """
      {"description":"d","deprecated":true,"featureFlags":["beta"],"groupName":"g","schemaCheck":"warn",
       "retryPolicy":"5s","idempotencyWindowMs":60000,"schemas":{"1":{"type":"object"}}}
      """;
  private static final String SOURCE =
      """
      {"verify":"github","secret":"a-long-enough-secret","eventTypeSecrets":{"push":"of-push"},"eventType":"header:x-github-event","dedupe":"header:x-id",
       "dedupeWindow":"1h","schema":{"type":"object"},"allowedIps":["127.0.0.0/8"],"maxBodyBytes":999,"expects":"json",
       "response":{"status":202,"body":"{}","headers":{"X-A":"1"}},"eventTtlMs":60000,"description":"d","metadata":{"a":"b"}}
      """;
  private static final String CRON_SOURCE =
      """
      {"cron":{"schedule":"0 0 1 1 *","timezone":"UTC","missed":"skip","payload":"{}","contentType":"application/json"}}
      """;
  private static final String ROUTE =
      """
      {"eventType":"a.b","agentIntent":"look","targetSession":"t","sessionExpression":"x",
       "sessionHeader":"X-Session","annotations":{"a":"b"}}
      """;
  private static final String ENDPOINT_ROUTE =
      """
      {"eventType":"a.b","agentIntent":"look","endpoint":"full"}
      """;
  private static final String QUEUE =
      """
      {"name":"full","description":"d","eventTypes":["a.b"],"filter":"true","dedupe":"payload.id","maxAttempts":1,"eventTtlMs":60000}
      """;
  private static final String MESSAGE =
      """
      {"eventType":"a.b","payload":{"x":"s"},"eventId":"full-event","maxRetries":3,"channels":["c"],"tags":["t"],
       "transformationsParams":{"headers":{"x-a":"1"}}}
      """;
  private static final String API_KEY =
      """
      {"name":"full","role":"read_only","applicationId":"full","expiresAt":"2099-01-01T00:00:00Z"}
      """;
  private static final String CONFIGURATION =
      """
      {"event_types":{"configured.type":{"description":"d"}}}
      """;

  private final List<Step> all = new ArrayList<>();

  private Steps() {}

  /** A call by its operation, and the status that it must get. */
  record Step(
      String operation,
      int status,
      Map<String, String> names,
      String query,
      @Nullable String body,
      String token) {}

  private Steps call(String operation, int status, @Nullable String body, String... names) {
    return as(World.KEY, operation, status, "", body, names);
  }

  private Steps as(
      String token,
      String operation,
      int status,
      String query,
      @Nullable String body,
      String... names) {
    Map<String, String> map = new java.util.HashMap<>();
    for (int i = 0; i < names.length; i += 2) {
      map.put(names[i], names[i + 1]);
    }
    all.add(new Step(operation, status, map, query, body, token));
    return this;
  }

  /** In an order in which each finds what it needs. */
  static List<Step> before(World world) {
    String window = "{\"since\":\"" + world.now() + "\"}";
    String url = "\"url\":\"" + world.receiver.url("/good") + "\"";
    String receipts = "{\"receipts\":[\"" + world.receipt + "\"]}";
    String type = "{\"name\":\"new.type\",\"description\":\"d\"}";
    return new Steps()
        .call("application.create", 201, "{\"name\":\"N\",\"uid\":\"new\"}")
        .as(
            World.KEY,
            "application.create",
            200,
            "get_if_exists=true",
            "{\"name\":\"N\",\"uid\":\"new\"}")
        .call("source.event", 202, "{}")
        .call("application.update", 200, "{\"name\":\"N2\"}", "app_id", "new")
        .call("application.update", 201, "{\"name\":\"N3\"}", "app_id", "newer")
        .call("application.update", 409, "{\"name\":\"N\",\"uid\":\"new\"}", "app_id", "newer")
        .call("application.patch", 200, "{\"metadata\":{\"a\":\"b\"}}", "app_id", "new")
        .call("application.patch", 409, "{\"uid\":\"acme\"}", "app_id", "new")
        .call("endpoint.create", 201, "{" + url + ",\"uid\":\"e2\",\"headers\":{\"X-A\":\"1\"}}")
        .call("endpoint.update", 200, "{" + url + "}", "endpoint_id", "e2")
        .call("endpoint.update", 201, "{" + url + "}", "endpoint_id", "e3")
        .call("endpoint.update", 409, "{" + url + ",\"uid\":\"e2\"}", "endpoint_id", "e3")
        .call("endpoint.patch", 200, "{\"description\":\"x\"}", "endpoint_id", "e2")
        .call("endpoint.patch", 409, "{\"uid\":\"e2\"}", "endpoint_id", "e3")
        .call("endpoint.headers.update", 204, "{\"headers\":{\"X-B\":\"2\"}}")
        .call("endpoint.headers.patch", 204, "{\"headers\":{\"X-C\":\"3\"}}")
        .call("endpoint.transformation.patch", 204, "{\"code\":\"$\",\"enabled\":true}")
        .call("endpoint.transformation.patch", 204, "{\"code\":null,\"enabled\":false}")
        .call("endpoint.secret.rotate", 204, "{}")
        .call("application.secret.rotate", 204, "{}")
        .call("endpoint.recover", 202, window)
        .call("endpoint.redrive", 202, window)
        .call("application.redrive", 202, window)
        .call("application.replay", 202, window)
        .call("endpoint.replay-missing", 202, window)
        .call("endpoint.bulk-replay", 202, window)
        .call("endpoint.send-example", 200, "{\"eventType\":\"a.b\"}")
        .call("endpoint.test", 200, "{\"eventType\":\"a.b\",\"payload\":{\"x\":\"s\"}}")
        .call("endpoint.pause", 200, null)
        .call("endpoint.resume", 200, null)
        .call("endpoint.reset-circuit", 204, null)
        .call("message.create", 202, "{\"eventType\":\"a.b\",\"payload\":{},\"tags\":[\"t\"]}")
        .as(
            World.KEY,
            "message.create",
            200,
            "dryRun=true",
            "{\"eventType\":\"a.b\",\"payload\":{}}")
        .call("operational-webhook.create", 201, "{" + url + ",\"uid\":\"o2\"}")
        .call("operational-webhook.update", 200, "{" + url + "}", "endpoint_id", "o2")
        .call("operational-webhook.update", 201, "{" + url + "}", "endpoint_id", "o3")
        .call(
            "operational-webhook.update", 409, "{" + url + ",\"uid\":\"o2\"}", "endpoint_id", "o3")
        .call("operational-webhook.patch", 200, "{\"description\":\"x\"}", "endpoint_id", "o2")
        .call("operational-webhook.patch", 409, "{\"uid\":\"o2\"}", "endpoint_id", "o3")
        .call("operational-webhook.headers.update", 204, "{\"headers\":{}}", "endpoint_id", "o2")
        .call("operational-webhook.secret.rotate", 204, "{}", "endpoint_id", "o2")
        .call("operational-webhook.delete", 204, null, "endpoint_id", "o3")
        .call("route.create", 201, "{\"eventType\":\"c.d\",\"agentIntent\":\"look\"}")
        .call("route.patch", 200, "{\"agentIntent\":\"act\"}")
        .call("route.patch", 409, "{\"eventType\":\"c.d\"}")
        .call("message.batch", 202, "{\"messages\":[{\"eventType\":\"a\",\"payload\":{}}]}")
        .call("message.precheck", 200, "{\"eventType\":\"a.b\"}")
        .call("message.broadcast", 202, "{\"eventType\":\"a.b\",\"payload\":{}}")
        .call("attempt.resend", 202, null)
        .call("attempt.resend", 400, null, "endpoint_id", "off")
        .call("delivery.retry", 202, null)
        .call("delivery.cancel", 200, null, "delivery_id", world.waiting())
        .call("message.cancel", 200, null)
        .call("event-type.create", 201, type)
        .call("event-type.update", 200, "{\"description\":\"e\"}", "event_type_name", "new.type")
        .call("event-type.update", 201, "{\"description\":\"e\"}", "event_type_name", "newer.type")
        .call("event-type.patch", 200, "{\"deprecated\":true}")
        .call(
            "event-type.import",
            200,
            "{\"dryRun\":true,\"spec\":{\"openapi\":\"3.1.0\",\"webhooks\":{\"w\":{\"post\":{}}}}}")
        .call("application.event-type.create", 201, type)
        .call(
            "application.event-type.update",
            200,
            "{\"description\":\"e\"}",
            "event_type_name",
            "new.type")
        .call(
            "application.event-type.update",
            201,
            "{\"description\":\"e\"}",
            "event_type_name",
            "x.y")
        .call(
            "application.event-type.patch", 200, "{\"deprecated\":true}", "event_type_name", "own")
        .as(World.KEY, "audit.list", 404, "application=nobody", null)
        .as(World.KEY, "delivery.list-all", 404, "application=nobody", null)
        .as(World.KEY, "delivery.count", 404, "application=nobody", null)
        .as(World.KEY, "delivery.count", 422, "application=" + "a".repeat(300), null)
        .as(World.KEY, "queue.list-all", 404, "application=nobody", null)
        .as(World.KEY, "received.list", 404, "source=nobody", null)
        .call("environments.create", 201, "{\"name\":\"Staging\",\"retryPolicy\":\"5s\"}")
        .call("environments.patch", 200, "{\"retention\":{\"deliveredHours\":48}}")
        .call("environments.api-key.create", 201, "{\"name\":\"n\"}")
        .call("environment.patch", 200, "{\"name\":\"Contract\"}")
        .call("prune.start", 202, null)
        .call("api-key.create", 201, "{\"name\":\"n\"}")
        .call("api-key.create", 404, "{\"name\":\"n\",\"applicationId\":\"nobody\"}")
        .call("portal.access", 200, "{\"readOnly\":true}")
        .call("portal.dashboard", 200, null)
        .call("portal.expire-all", 204, "{}", "app_id", "other")
        .call("api-key.logout", 501, null)
        .call(
            "statistics.usage",
            202,
            "{\"since\":\"2026-01-01T00:00:00Z\",\"until\":\"2026-01-02T00:00:00Z\",\"appIds\":[\"acme\",\"nobody\"]}")
        .call("statistics.event-types", 202, null)
        .call("expression.test", 200, "{\"expression\":\"a + 1\",\"context\":{\"a\":1}}")
        .call("alert.update", 201, "{\"type\":\"slack\"," + url + "}", "alert", "ops")
        .call("alert.update", 200, "{\"type\":\"discord\"," + url + "}", "alert", "ops")
        .call("alert.delete", 204, null, "alert", "ops")
        .call("source.create", 201, "{\"name\":\"second\",\"verify\":\"none\"}")
        .call("source.update", 200, "{\"verify\":\"none\"}", "source", "second")
        .call("source.update", 201, "{\"verify\":\"none\"}", "source", "third")
        .call("source.patch", 200, "{\"description\":\"x\"}", "source", "second")
        .call(
            "source.secret.rotate",
            200,
            "{\"secret\":\"a-long-enough-secret\"}",
            "source",
            "second")
        .call("ingest.source.create", 201, "{\"name\":\"Second\",\"uid\":\"in2\"}")
        .call("ingest.source.create", 409, "{\"name\":\"Second\",\"uid\":\"in2\"}")
        .call("ingest.source.create", 422, "{\"name\":\"Third\",\"type\":\"no-such\"}")
        .call("ingest.source.update", 200, "{\"name\":\"Again\"}", "source_id", "in2")
        .call("ingest.source.update", 201, World.CLOCK, "source_id", "in3")
        .call("ingest.source.patch", 200, "{\"name\":\"Renamed\"}", "source_id", "in2")
        .call("ingest.source.patch", 422, "{\"uid\":\"in4\"}", "source_id", "in2")
        .call("ingest.source.token.rotate", 200, null)
        .call("ingest.endpoint.create", 201, "{" + url + ",\"uid\":\"i2\"}")
        .call("ingest.endpoint.update", 200, "{" + url + "}", "endpoint_id", "i2")
        .call("ingest.endpoint.update", 201, "{" + url + "}", "endpoint_id", "i3")
        .call("ingest.endpoint.update", 409, "{" + url + ",\"uid\":\"i2\"}", "endpoint_id", "i3")
        .call("ingest.endpoint.headers.update", 204, "{\"headers\":{\"X-B\":\"2\"}}")
        .call("ingest.endpoint.transformation.patch", 204, "{\"code\":\"$\",\"enabled\":true}")
        .call("ingest.endpoint.secret.rotate", 204, "{}")
        .as(World.KEY, "live.stream", 200, "application=acme&session=s", null)
        .as(World.KEY, "live.stream", 404, "application=nobody", null)
        .as(World.KEY, "live.stream", 422, "session=" + "s".repeat(300), null)
        .call("integration.create", 201, "{\"name\":\"Second\",\"featureFlags\":[\"beta\"]}")
        .call("integration.update", 200, "{\"name\":\"Renamed\"}")
        .call("integration.key.rotate", 200, null)
        .call("event-type.export", 202, null)
        .call("queue.create", 201, "{\"name\":\"second\"}")
        .call("queue.patch", 200, "{\"description\":\"x\"}")
        .call("queue.patch", 409, "{\"name\":\"second\"}")
        .call("queue.key.rotate", 200, "{}")
        .call("queue.redrive", 200, null)
        .call("queue.ack", 200, receipts)
        .call("queue.nack", 200, receipts)
        .call("poller.consumer-seek", 200, "{\"after\":\"" + world.now() + "\"}")
        .call("poller.token.rotate", 201, "{\"expiry\":60}")
        .call("polling-endpoint.commit", 204, "{\"offset\":1}")
        .call("configuration.plan", 200, "{}")
        .call("configuration.apply", 200, "{}")
        .call("source.receive.post", 200, "{\"a\":1}")
        .call("source.receive.put", 200, "{\"a\":2}")
        .call("source.receive.patch", 200, "{\"a\":3}")
        .call("source.receive.delete", 200, "{\"a\":4}")
        .call("source.receive.options", 405, null)
        .call("server.echo", 200, "{}")
        .all;
  }

  /** Things with every field set, and what shows them. */
  static List<Step> filled(World world) {
    String url = "\"url\":\"" + world.receiver.url("/good") + "\"";
    String endpoint = "{" + url + "," + ENDPOINT_FIELDS + "}";
    return new Steps()
        .call("environment.patch", 200, "{\"retryPolicy\":\"5s\"," + RETENTION + "}")
        .call("environment.get", 200, null)
        .call("application.update", 201, APPLICATION, "app_id", "full")
        .call("application.get", 200, null, "app_id", "full")
        .call("application.list", 200, null)
        .call("endpoint.update", 201, endpoint, "app_id", "full", "endpoint_id", "full")
        .call("endpoint.get", 200, null, "app_id", "full", "endpoint_id", "full")
        .call("endpoint.list", 200, null, "app_id", "full")
        .call("endpoint.headers.get", 200, null, "app_id", "full", "endpoint_id", "full")
        .call("endpoint.transformation.get", 200, null, "app_id", "full", "endpoint_id", "full")
        .call("event-type.update", 201, EVENT_TYPE, "event_type_name", "full.type")
        .call("event-type.get", 200, null, "event_type_name", "full.type")
        .call("event-type.list", 200, null)
        .call("source.update", 201, SOURCE, "source", "full")
        .call("source.get", 200, null, "source", "full")
        .call("source.update", 201, CRON_SOURCE, "source", "full-cron")
        .call("source.list", 200, null)
        .call("source.received", 200, null, "source", "door")
        .call("source.rejected", 200, null, "source", "signed")
        .call("received.list", 200, null)
        .call("route.create", 201, ROUTE, "app_id", "full")
        .call("route.create", 201, ENDPOINT_ROUTE, "app_id", "full")
        .call("route.list", 200, null, "app_id", "full")
        .call("queue.create", 201, QUEUE, "app_id", "full")
        .call("queue.list", 200, null, "app_id", "full")
        .call("queue.list-all", 200, null)
        .call("message.create", 202, MESSAGE, "app_id", "full")
        .call("message.get", 200, null, "app_id", "full", "msg_id", "full-event")
        .call("message.list", 200, null, "app_id", "full")
        .call("queue.peek", 200, null, "app_id", "full", "queue_id", "full")
        .call("alert.update", 201, "{\"type\":\"slack\"," + url + "}", "alert", "full")
        .call("alert.list", 200, null)
        .call("alert.delete", 204, null, "alert", "full")
        .call("integration.update", 200, "{\"name\":\"Full\",\"featureFlags\":[\"beta\"]}")
        .call("integration.get", 200, null)
        .call("integration.list", 200, null)
        .call("api-key.create", 201, API_KEY)
        .call("api-key.list", 200, null)
        .call("configuration.plan", 200, CONFIGURATION)
        .call("configuration.plan", 200, CONFIGURATION) // the same key: a replay
        .call("configuration.apply", 200, CONFIGURATION)
        .call("configuration.apply", 200, CONFIGURATION.replace("\"d\"", "\"e\""))
        .call("configuration.plan", 200, CONFIGURATION.replace("\"d\"", "\"f\""))
        .call("configuration.get", 200, null)
        .all;
  }

  /** What ends things. */
  static List<Step> after(World world) {
    String expiring =
        world
            .key(
                "{\"name\":\"p\",\"applicationId\":\"acme\",\"expiresAt\":\"2099-01-01T00:00:00Z\"}")
            .text("/token");
    return new Steps()
        .as(expiring, "api-key.logout", 204, "", null)
        .call("attempt.expunge", 204, null)
        .call("message.bulk-expunge", 200, "{\"ids\":[\"nobody\"]}")
        .call("message.expunge", 204, null)
        .call("delivery.retry", 400, null)
        .call("message.expunge-all", 202, null)
        .call("endpoint.delete", 204, null, "endpoint_id", "e2")
        .call("integration.delete", 204, null)
        .call("queue.delete", 204, null)
        .call("route.delete", 204, null)
        .call("event-type.delete", 204, null)
        .call("application.event-type.delete", 204, null, "event_type_name", "own")
        .call("api-key.revoke", 204, null)
        .call("source.delete", 204, null, "source", "second")
        .call("ingest.endpoint.delete", 204, null, "endpoint_id", "i2")
        .call("ingest.source.delete", 204, null, "source_id", "in2")
        .call("application.delete", 204, null, "app_id", "new")
        .call("environment.patch", 200, "{\"hideSecrets\":true,\"ownDataKey\":true}")
        .call("endpoint.create", 201, "{\"url\":\"" + world.receiver.url("/good") + "\"}")
        .call("endpoint.secret.get", 403, null)
        .call("application.secret.rotate", 200, "{}")
        .call("operational-webhook.secret.rotate", 200, "{}")
        .call("ingest.endpoint.secret.rotate", 200, "{}")
        .all;
  }
}
