package dev.postrider.e2e.sdk;

import com.svix.Svix;
import com.svix.models.AppPortalAccessIn;
import com.svix.models.AppUsageStatsIn;
import com.svix.models.ApplicationIn;
import com.svix.models.ApplicationPatch;
import com.svix.models.ApplicationTokenExpireIn;
import com.svix.models.BulkReplayIn;
import com.svix.models.EndpointHeadersIn;
import com.svix.models.EndpointHeadersPatchIn;
import com.svix.models.EndpointIn;
import com.svix.models.EndpointPatch;
import com.svix.models.EndpointSecretRotateIn;
import com.svix.models.EndpointTransformationIn;
import com.svix.models.EndpointTransformationPatch;
import com.svix.models.EndpointUpdate;
import com.svix.models.EventExampleIn;
import com.svix.models.EventTypeImportOpenApiIn;
import com.svix.models.EventTypeIn;
import com.svix.models.EventTypePatch;
import com.svix.models.EventTypeUpdate;
import com.svix.models.IngestEndpointHeadersIn;
import com.svix.models.IngestEndpointIn;
import com.svix.models.IngestEndpointSecretIn;
import com.svix.models.IngestEndpointTransformationPatch;
import com.svix.models.IngestEndpointUpdate;
import com.svix.models.IngestSourceIn;
import com.svix.models.IngestSourceInConfig;
import com.svix.models.IntegrationIn;
import com.svix.models.IntegrationUpdate;
import com.svix.models.MessageIn;
import com.svix.models.MessagePrecheckIn;
import com.svix.models.OperationalWebhookEndpointHeadersIn;
import com.svix.models.OperationalWebhookEndpointIn;
import com.svix.models.OperationalWebhookEndpointSecretIn;
import com.svix.models.OperationalWebhookEndpointUpdate;
import com.svix.models.PollingEndpointConsumerSeekIn;
import com.svix.models.RecoverIn;
import com.svix.models.ReplayIn;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;

/** A call of each method of the Java client that works, in an order in which they can follow. */
final class SvixMethods {
  private SvixMethods() {}

  /** A call that must succeed. */
  @FunctionalInterface
  interface Use {
    void run() throws Exception;
  }

  static Map<String, Use> all(Svix svix, SdkEnvironment environment) {
    Map<String, Use> all = new LinkedHashMap<>();
    applications(all, svix);
    endpoints(all, svix, environment);
    messages(all, svix, environment);
    eventTypes(all, svix);
    operations(all, svix, environment);
    pollers(all, svix, environment);
    integrations(all, svix, environment);
    ingest(all, svix, environment);
    return all;
  }

  private static void applications(Map<String, Use> all, Svix svix) {
    var api = svix.getApplication();
    all.put("Application.create", () -> api.create(new ApplicationIn().name("S").uid("sdk")));
    all.put(
        "Application.getOrCreate", () -> api.getOrCreate(new ApplicationIn().name("S").uid("sdk")));
    all.put("Application.get", () -> api.get("sdk"));
    all.put("Application.list", () -> api.list());
    all.put("Application.update", () -> api.update("sdk", new ApplicationIn().name("T")));
    all.put("Application.patch", () -> api.patch("sdk", new ApplicationPatch().name("U")));
    all.put("Application.delete", () -> api.delete("sdk"));
    var auth = svix.getAuthentication();
    all.put(
        "Authentication.appPortalAccess",
        () -> auth.appPortalAccess("acme", new AppPortalAccessIn()));
    all.put(
        "Authentication.expireAll", () -> auth.expireAll("acme", new ApplicationTokenExpireIn()));
  }

  @SuppressWarnings("deprecation") // deprecated methods of the client work as well
  private static void endpoints(Map<String, Use> all, Svix svix, SdkEnvironment environment) {
    var api = svix.getEndpoint();
    URI url = URI.create(environment.receiver.url("/good"));
    OffsetDateTime since = OffsetDateTime.parse(environment.now());
    all.put("Endpoint.create", () -> api.create("acme", new EndpointIn().url(url).uid("sdk")));
    all.put("Endpoint.get", () -> api.get("acme", "sdk"));
    all.put("Endpoint.list", () -> api.list("acme"));
    all.put(
        "Endpoint.update",
        () -> api.update("acme", "sdk", new EndpointUpdate().url(url).uid("sdk")));
    all.put("Endpoint.patch", () -> api.patch("acme", "sdk", new EndpointPatch().description("d")));
    all.put("Endpoint.getSecret", () -> api.getSecret("acme", "sdk"));
    all.put(
        "Endpoint.rotateSecret",
        () -> api.rotateSecret("acme", "sdk", new EndpointSecretRotateIn()));
    all.put("Endpoint.getHeaders", () -> api.getHeaders("acme", "sdk"));
    all.put(
        "Endpoint.updateHeaders",
        () ->
            api.updateHeaders("acme", "sdk", new EndpointHeadersIn().headers(Map.of("X-A", "1"))));
    all.put(
        "Endpoint.patchHeaders",
        () ->
            api.patchHeaders(
                "acme", "sdk", new EndpointHeadersPatchIn().headers(Map.of("X-B", "2"))));
    all.put(
        "Endpoint.patchTransformation",
        () ->
            api.patchTransformation(
                "acme",
                "sdk",
                new EndpointTransformationPatch().code("{\"a\": payload.x}").enabled(true)));
    all.put("Endpoint.transformationGet", () -> api.transformationGet("acme", "sdk"));
    all.put(
        "Endpoint.transformationPartialUpdate",
        () ->
            api.transformationPartialUpdate(
                "acme",
                "sdk",
                new EndpointTransformationIn().code("{\"b\": payload.x}").enabled(true)));
    all.put("Endpoint.getStats", () -> api.getStats("acme", "sdk"));
    all.put("Endpoint.recover", () -> api.recover("acme", "sdk", new RecoverIn().since(since)));
    all.put(
        "Endpoint.replayMissing",
        () -> api.replayMissing("acme", "sdk", new ReplayIn().since(since)));
    all.put(
        "Endpoint.bulkReplay",
        () -> api.bulkReplay("acme", "sdk", new BulkReplayIn().since(since)));
    all.put(
        "Endpoint.sendExample",
        () -> api.sendExample("acme", "sdk", new EventExampleIn().eventType("a.b")));
    all.put("Endpoint.delete", () -> api.delete("acme", "sdk"));
  }

  private static void messages(Map<String, Use> all, Svix svix, SdkEnvironment environment) {
    var api = svix.getMessage();
    all.put(
        "Message.create",
        () -> api.create("acme", new MessageIn().eventType("a.b").payload("{\"a\":1}")));
    all.put("Message.list", () -> api.list("acme"));
    all.put("Message.get", () -> api.get("acme", "ev1"));
    all.put(
        "Message.precheck", () -> api.precheck("acme", new MessagePrecheckIn().eventType("a.b")));
    var attempts = svix.getMessageAttempt();
    String attempt = environment.names.getOrDefault("attempt_id", "");
    all.put("MessageAttempt.listByEndpoint", () -> attempts.listByEndpoint("acme", "main"));
    all.put("MessageAttempt.listByMsg", () -> attempts.listByMsg("acme", "ev1"));
    all.put(
        "MessageAttempt.listAttemptedMessages",
        () -> attempts.listAttemptedMessages("acme", "main"));
    all.put(
        "MessageAttempt.listAttemptedDestinations",
        () -> attempts.listAttemptedDestinations("acme", "ev1"));
    all.put("MessageAttempt.get", () -> attempts.get("acme", "ev1", attempt));
    all.put("MessageAttempt.expungeContent", () -> attempts.expungeContent("acme", "ev1", attempt));
    all.put("Message.expungeContent", () -> api.expungeContent("acme", "ev1"));
  }

  private static void pollers(Map<String, Use> all, Svix svix, SdkEnvironment environment) {
    var api = svix.getMessage().getPoller();
    OffsetDateTime since = OffsetDateTime.parse(environment.now());
    environment.ok("POST", "/app/acme/queue", "{\"name\":\"sdk\"}");
    all.put("MessagePoller.poll", () -> api.poll("acme", "sdk"));
    all.put("MessagePoller.consumerPoll", () -> api.consumerPoll("acme", "sdk", "one"));
    all.put(
        "MessagePoller.consumerSeek",
        () ->
            api.consumerSeek(
                "acme", "sdk", "one", new PollingEndpointConsumerSeekIn().after(since)));
  }

  @SuppressWarnings("deprecation") // deprecated methods of the client work as well
  private static void integrations(Map<String, Use> all, Svix svix, SdkEnvironment environment) {
    var api = svix.getIntegration();
    String id = environment.names.getOrDefault("integ_id", "");
    all.put("Integration.create", () -> api.create("acme", new IntegrationIn().name("I")));
    all.put("Integration.list", () -> api.list("acme"));
    all.put("Integration.get", () -> api.get("acme", id));
    all.put("Integration.getKey", () -> api.getKey("acme", id));
    all.put("Integration.update", () -> api.update("acme", id, new IntegrationUpdate().name("J")));
    all.put("Integration.delete", () -> api.delete("acme", id));
  }

  private static void ingest(Map<String, Use> all, Svix svix, SdkEnvironment environment) {
    var sources = svix.getIngest().getSource();
    IngestSourceIn source =
        new IngestSourceIn()
            .name("Sdk")
            .uid("sdk")
            .config(new IngestSourceInConfig.GenericWebhook());
    all.put("IngestSource.create", () -> sources.create(source));
    all.put("IngestSource.get", () -> sources.get("sdk"));
    all.put("IngestSource.list", () -> sources.list());
    all.put("IngestSource.update", () -> sources.update("sdk", source));
    var api = svix.getIngest().getEndpoint();
    String url = environment.receiver.url("/good");
    all.put(
        "IngestEndpoint.create",
        () -> api.create("sdk", new IngestEndpointIn().url(URI.create(url)).uid("e")));
    all.put("IngestEndpoint.get", () -> api.get("sdk", "e"));
    all.put("IngestEndpoint.list", () -> api.list("sdk"));
    all.put(
        "IngestEndpoint.update",
        () -> api.update("sdk", "e", new IngestEndpointUpdate().url(URI.create(url)).uid("e")));
    all.put("IngestEndpoint.getSecret", () -> api.getSecret("sdk", "e"));
    all.put(
        "IngestEndpoint.rotateSecret",
        () -> api.rotateSecret("sdk", "e", new IngestEndpointSecretIn()));
    all.put("IngestEndpoint.getHeaders", () -> api.getHeaders("sdk", "e"));
    all.put(
        "IngestEndpoint.updateHeaders",
        () ->
            api.updateHeaders(
                "sdk", "e", new IngestEndpointHeadersIn().headers(Map.of("X-A", "1"))));
    all.put(
        "IngestEndpoint.setTransformation",
        () ->
            api.setTransformation(
                "sdk",
                "e",
                new IngestEndpointTransformationPatch().code("{\"a\": payload.x}").enabled(true)));
    all.put("IngestEndpoint.getTransformation", () -> api.getTransformation("sdk", "e"));
    all.put("IngestEndpoint.delete", () -> api.delete("sdk", "e"));
    all.put("IngestSource.delete", () -> sources.delete("sdk"));
  }

  private static void eventTypes(Map<String, Use> all, Svix svix) {
    var api = svix.getEventType();
    all.put(
        "EventType.create", () -> api.create(new EventTypeIn().name("sdk.type").description("d")));
    all.put("EventType.get", () -> api.get("sdk.type"));
    all.put("EventType.list", () -> api.list());
    all.put(
        "EventType.update", () -> api.update("sdk.type", new EventTypeUpdate().description("e")));
    all.put("EventType.patch", () -> api.patch("sdk.type", new EventTypePatch().description("f")));
    all.put(
        "EventType.importOpenapi",
        () ->
            api.importOpenapi(
                new EventTypeImportOpenApiIn()
                    .specRaw("openapi: 3.1.0\nwebhooks: {imported: {post: {}}}")));
    all.put("EventType.delete", () -> api.delete("sdk.type"));
  }

  private static void operations(Map<String, Use> all, Svix svix, SdkEnvironment environment) {
    var hooks = svix.getOperationalWebhook().getEndpoint();
    URI url = URI.create(environment.receiver.url("/operator"));
    all.put(
        "OperationalWebhookEndpoint.create",
        () -> hooks.create(new OperationalWebhookEndpointIn().url(url).uid("sdk")));
    all.put("OperationalWebhookEndpoint.get", () -> hooks.get("sdk"));
    all.put("OperationalWebhookEndpoint.list", () -> hooks.list());
    all.put(
        "OperationalWebhookEndpoint.update",
        () -> hooks.update("sdk", new OperationalWebhookEndpointUpdate().url(url).uid("sdk")));
    all.put("OperationalWebhookEndpoint.getSecret", () -> hooks.getSecret("sdk"));
    all.put(
        "OperationalWebhookEndpoint.rotateSecret",
        () -> hooks.rotateSecret("sdk", new OperationalWebhookEndpointSecretIn()));
    all.put("OperationalWebhookEndpoint.getHeaders", () -> hooks.getHeaders("sdk"));
    all.put(
        "OperationalWebhookEndpoint.updateHeaders",
        () ->
            hooks.updateHeaders(
                "sdk", new OperationalWebhookEndpointHeadersIn().headers(Map.of("X-A", "1"))));
    all.put("OperationalWebhookEndpoint.delete", () -> hooks.delete("sdk"));
    all.put("BackgroundTask.list", () -> svix.getBackgroundTask().list());
    all.put(
        "BackgroundTask.get",
        () -> svix.getBackgroundTask().get(environment.names.getOrDefault("task_id", "")));
    OffsetDateTime since = OffsetDateTime.parse(environment.now());
    all.put(
        "Statistics.aggregateAppStats",
        () ->
            svix.getStatistics()
                .aggregateAppStats(new AppUsageStatsIn().since(since).until(since.plusMinutes(1))));
  }
}
