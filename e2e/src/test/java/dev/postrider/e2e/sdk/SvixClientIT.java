package dev.postrider.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.svix.api.ApplicationListOptions;
import com.svix.exceptions.ApiException;
import com.svix.models.ApplicationIn;
import com.svix.models.ApplicationOut;
import com.svix.models.ApplicationPatch;
import com.svix.models.EndpointHeadersIn;
import com.svix.models.EndpointIn;
import com.svix.models.EndpointOut;
import com.svix.models.EndpointPatch;
import com.svix.models.EndpointSecretRotateIn;
import com.svix.models.EndpointUpdate;
import com.svix.models.EventTypeIn;
import com.svix.models.EventTypePatch;
import com.svix.models.EventTypeUpdate;
import com.svix.models.OperationalWebhookEndpointHeadersIn;
import com.svix.models.OperationalWebhookEndpointIn;
import com.svix.models.OperationalWebhookEndpointOut;
import com.svix.models.OperationalWebhookEndpointSecretIn;
import com.svix.models.OperationalWebhookEndpointUpdate;
import com.svix.models.RecoverIn;
import dev.postrider.testkit.OnEachDatabase;
import java.net.URI;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The official Java client of Svix drives the packaged server, on both databases. */
@OnEachDatabase
class SvixClientIT extends SdkBehaviour {
  @Test
  void applications() throws Exception {
    ApplicationOut created =
        svix.getApplication().create(new ApplicationIn().name("Acme").uid("acme"));
    assertThat(
            svix.getApplication().getOrCreate(new ApplicationIn().name("Acme").uid("acme")).getId())
        .isEqualTo(created.getId());
    assertThat(svix.getApplication().get("acme").getCreatedAt()).isEqualTo(created.getCreatedAt());
    assertThat(svix.getApplication().patch("acme", new ApplicationPatch().name("New")).getName())
        .isEqualTo("New");
    assertThat(svix.getApplication().update("acme", new ApplicationIn().name("Put")).getName())
        .isEqualTo("Put");
    assertThat(svix.getApplication().list(new ApplicationListOptions()).getData()).hasSize(1);
    svix.getApplication().delete("acme");
    assertThatThrownBy(() -> svix.getApplication().get("acme"))
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.getCode()).isEqualTo(404));
  }

  @Test
  void endpoints() throws Exception {
    svix.getApplication().create(new ApplicationIn().name("Acme").uid("acme"));
    svix.getEventType().create(new EventTypeIn().name("invoice.paid").description("Paid"));
    EndpointOut created =
        svix.getEndpoint()
            .create(
                "acme",
                new EndpointIn()
                    .url(URI.create("https://example.com/hook"))
                    .uid("main")
                    .filterTypes(Set.of("invoice.paid")));
    assertThat(created.getFilterTypes()).containsExactly("invoice.paid");
    svix.getEndpoint().patch("acme", "main", new EndpointPatch().description("patched"));
    assertThat(svix.getEndpoint().get("acme", created.getId()).getDescription())
        .isEqualTo("patched");
    svix.getEndpoint()
        .update(
            "acme",
            "main",
            new EndpointUpdate().url(URI.create("https://example.com/2")).uid("main"));
    svix.getEndpoint()
        .updateHeaders(
            "acme",
            "main",
            new EndpointHeadersIn().headers(Map.of("Authorization", "x", "X-A", "1")));
    assertThat(svix.getEndpoint().getHeaders("acme", "main").getSensitive())
        .containsExactlyInAnyOrder("Authorization", "X-A");
    String secret = svix.getEndpoint().getSecret("acme", "main").getKey();
    svix.getEndpoint().rotateSecret("acme", "main", new EndpointSecretRotateIn());
    assertThat(svix.getEndpoint().getSecret("acme", "main").getKey()).isNotEqualTo(secret);
    svix.getEndpoint()
        .recover(
            "acme",
            "main",
            new RecoverIn().since(OffsetDateTime.now(ZoneOffset.UTC).minusHours(1)));
    assertThat(svix.getEndpoint().list("acme").getData()).hasSize(1);
    svix.getEndpoint().delete("acme", "main");
    assertThat(svix.getEndpoint().list("acme").getDone()).isTrue();
  }

  @Test
  @SuppressWarnings("deprecation") // older clients send these fields
  void fieldsOfOlderClients() throws Exception {
    ApplicationOut application =
        svix.getApplication().create(new ApplicationIn().name("Acme").uid("acme").rateLimit(4L));
    assertThat(application.getThrottleRate()).isEqualTo(4);
    EndpointIn endpoint =
        new EndpointIn().url(URI.create("https://Example.com")).rateLimit(5L).version(3L);
    EndpointOut created = svix.getEndpoint().create("acme", endpoint.uid("one"));
    assertThat(created.getUrl()).isEqualTo(URI.create("https://example.com/"));
    assertThat(created.getVersion()).isEqualTo(3);
    assertThat(created.getThrottleRate()).isEqualTo(5);
    EndpointOut patched =
        svix.getEndpoint().patch("acme", "one", new EndpointPatch().rateLimit(6L));
    assertThat(patched.getRateLimit()).isEqualTo(6);
    svix.getEndpoint().create("acme", endpoint.uid("two"));
    assertThat(svix.getEndpoint().list("acme").getData())
        .extracting(EndpointOut::getUid)
        .containsExactly("two", "one");
  }

  @Test
  void eventTypes() throws Exception {
    svix.getEventType().create(new EventTypeIn().name("a").description("A"));
    assertThat(
            svix.getEventType()
                .update("a", new EventTypeUpdate().description("B"))
                .getDescription())
        .isEqualTo("B");
    assertThat(
            svix.getEventType().patch("a", new EventTypePatch().description("C")).getDescription())
        .isEqualTo("C");
    assertThat(svix.getEventType().get("a").getName()).isEqualTo("a");
    assertThat(svix.getEventType().list().getData()).hasSize(1);
    svix.getEventType().delete("a");
    assertThat(svix.getEventType().list().getData()).isEmpty();
  }

  @Test
  void metadata() throws Exception {
    Map<String, String> texts = Map.of("plan", "gold", "n", "5", "json", "{\"a\":1}", "empty", "");
    svix.getApplication().create(new ApplicationIn().name("Acme").uid("acme").metadata(texts));
    assertThat(svix.getApplication().get("acme").getMetadata()).isEqualTo(texts);
    svix.getEndpoint()
        .create(
            "acme",
            new EndpointIn().uid("e").url(URI.create("http://127.0.0.1:9/")).metadata(texts));
    assertThat(svix.getEndpoint().get("acme", "e").getMetadata()).isEqualTo(texts);
    assertThat(environment.ok("GET", "/app/acme", null).at("/metadata/n").isString()).isTrue();
  }

  @Test
  void operationalWebhooks() throws Exception {
    svix.getApplication().create(new ApplicationIn().name("Acme").uid("acme"));
    var calls = svix.getOperationalWebhook().getEndpoint();
    OperationalWebhookEndpointOut made =
        calls.create(
            new OperationalWebhookEndpointIn()
                .url(URI.create(environment.receiver.url("/ops")))
                .uid("ops")
                .filterTypes(Set.of("endpoint.created"))
                .metadata(Map.of("team", "a")));
    assertThat(made.getUid()).isEqualTo("ops");
    assertThat(calls.get("ops").getFilterTypes()).containsExactly("endpoint.created");
    assertThat(calls.list().getData()).hasSize(1);
    String secret = calls.getSecret("ops").getKey();
    calls.rotateSecret("ops", new OperationalWebhookEndpointSecretIn());
    assertThat(calls.getSecret("ops").getKey()).isNotEqualTo(secret);
    calls.updateHeaders(
        "ops", new OperationalWebhookEndpointHeadersIn().headers(Map.of("x-team", "a")));
    assertThat(calls.getHeaders("ops").getSensitive()).containsExactly("x-team");
    assertThat(
            calls
                .update(
                    "ops",
                    new OperationalWebhookEndpointUpdate()
                        .url(URI.create(environment.receiver.url("/other")))
                        .uid("ops"))
                .getUrl()
                .getPath())
        .isEqualTo("/other");
    calls.delete("ops");
    assertThat(calls.list().getData()).isEmpty();
    String key = "{\"name\":\"a\",\"applicationId\":\"acme\"}";
    String application = environment.ok("POST", "/auth/api-key", key).at("/token").asString();
    String endpoints = "/operational-webhook/endpoint";
    assertThat(environment.callAs(application, "GET", endpoints, null).status()).isEqualTo(403);
  }

  @Test
  void missingObjectsAreNotFound() {
    // logout(), expungeAllContents() and aggregateEventTypes() of this client fail by themselves
    // like resend(): OkHttp refuses their requests without a body.
    svixRefuses(501, () -> svix.getStreaming().getEventType().list());
  }

  private static void svixRefuses(int status, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.getCode()).isEqualTo(status));
  }
}
