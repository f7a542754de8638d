package dev.postrider.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.svix.exceptions.ApiException;
import com.svix.models.CronConfig;
import com.svix.models.GithubConfig;
import com.svix.models.IngestEndpointHeadersIn;
import com.svix.models.IngestEndpointIn;
import com.svix.models.IngestEndpointOut;
import com.svix.models.IngestEndpointSecretIn;
import com.svix.models.IngestEndpointUpdate;
import com.svix.models.IngestSourceIn;
import com.svix.models.IngestSourceInConfig;
import com.svix.models.IngestSourceOut;
import dev.postrider.e2e.sdk.SdkEnvironment.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Signals;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Sources that the official Java client creates and changes, and their secret URLs. */
@OnEachDatabase
final class IngestIT extends SdkBehaviour {
  private static final String PUSH = "{\"ref\":\"main\"}";
  private static final String SOURCE = "/ingest/api/v1/source/gh";

  private static String path(String url) {
    return URI.create(url).getPath();
  }

  private Answer push(String url, String secret) throws GeneralSecurityException {
    String signature = "sha256=" + hmac(secret);
    return environment.send(
        "POST", path(url), PUSH, "X-GitHub-Event", "push", "X-Hub-Signature-256", signature);
  }

  private static String hmac(String secret) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    return HexFormat.of().formatHex(mac.doFinal(PUSH.getBytes(StandardCharsets.UTF_8)));
  }

  private Answer ofSource(String method, String path) {
    String token = "Bearer " + environment.key();
    return environment.send(method, SOURCE + path, null, "Authorization", token);
  }

  /** The ids of what the source refused. */
  private List<String> log(String query) {
    return ofSource("GET", "/log" + query)
        .json()
        .path("data")
        .valueStream()
        .map(item -> item.path("id").asString())
        .toList();
  }

  @Test
  void sourcesHaveSecretUrls() throws Exception {
    IngestSourceOut made =
        svix.getIngest()
            .getSource()
            .create(
                new IngestSourceIn()
                    .name("Our GitHub")
                    .uid("gh")
                    .metadata(Map.of("team", "a"))
                    .config(new IngestSourceInConfig.Github(new GithubConfig().secret("s3cret"))));
    assertThat(made.getUid()).isEqualTo("gh");
    assertThat(made.getName()).isEqualTo("Our GitHub");
    assertThat(made.getMetadata()).isEqualTo(Map.of("team", "a"));
    assertThat(made.getConfig().getVariantName()).isEqualTo("github");
    String url = made.getIngestUrl().toString();
    assertThat(path(url)).startsWith("/in/in_");
    assertThat(push(url, "s3cret").status()).isEqualTo(200);
    assertThat(push("http://x/in/gh", "s3cret").status()).as("the plain name").isEqualTo(404);

    // The client itself cannot send a POST without a body.
    String renewed = ofSource("POST", "/token/rotate").text("/ingestUrl");
    assertThat(renewed).isNotEqualTo(url);
    assertThat(push(renewed, "s3cret").status()).isEqualTo(200);
    assertThat(push(url, "s3cret").status()).as("for a day").isEqualTo(200);
    assertThat(svix.getIngest().getSource().get(made.getId()).getIngestUrl().toString())
        .isEqualTo(renewed);

    svix.getIngest()
        .getSource()
        .update(
            "gh",
            new IngestSourceIn()
                .name("Ours")
                .config(new IngestSourceInConfig.Github(new GithubConfig().secret("other"))));
    assertThat(push(renewed, "s3cret").status()).isEqualTo(401);
    assertThat(push(renewed, "other").status()).isEqualTo(200);
    Signals.poll(
        "the refusal is in the log",
        () -> ofSource("GET", "/log").text("/data/0/error_text").startsWith("mismatch"));
    assertThat(push(renewed, "other still").status()).isEqualTo(401);
    Signals.poll("both are there", () -> log("").size() == 2);
    assertThat(log("?order=ascending").reversed()).isEqualTo(log("?order=descending"));
    assertThat(log("")).as("newest first").isEqualTo(log("?order=descending"));
    assertThatThrownBy(
            () ->
                svix.getIngest()
                    .getSource()
                    .update(
                        "gh",
                        new IngestSourceIn()
                            .name("Ours")
                            .uid("another")
                            .config(
                                new IngestSourceInConfig.Github(
                                    new GithubConfig().secret("other")))))
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.getCode()).isEqualTo(422));

    svix.getIngest()
        .getSource()
        .create(
            new IngestSourceIn()
                .name("nightly")
                .config(
                    new IngestSourceInConfig.Cron(
                        new CronConfig().schedule("0 3 * * *").payload("{\"a\":1}"))));
    assertThat(svix.getIngest().getSource().list().getData())
        .extracting(IngestSourceOut::getName)
        .containsExactly("Ours", "nightly");
    svix.getIngest().getSource().delete("gh");
    assertThatThrownBy(() -> svix.getIngest().getSource().get("gh"))
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.getCode()).isEqualTo(404));
    assertThat(push(renewed, "other").status()).isEqualTo(404);
  }

  @Test
  void endpointsAreThoseOfTheSourcesApplication() throws Exception {
    IngestSourceOut source =
        svix.getIngest()
            .getSource()
            .create(
                new IngestSourceIn().name("any").config(new IngestSourceInConfig.GenericWebhook()));
    IngestEndpointOut made =
        svix.getIngest()
            .getEndpoint()
            .create(
                "any",
                new IngestEndpointIn().url(URI.create(environment.receiver.url("/a"))).uid("a"));
    assertThat(environment.send("POST", source.getIngestUrl().getPath(), PUSH).status())
        .isEqualTo(200);
    assertThat(environment.receiver.await(1).getFirst().text()).isEqualTo(PUSH);
    assertThat(svix.getIngest().getEndpoint().list("any").getData()).hasSize(1);
    String before = svix.getIngest().getEndpoint().getSecret("any", "a").getKey();
    svix.getIngest().getEndpoint().rotateSecret("any", made.getId(), new IngestEndpointSecretIn());
    assertThat(svix.getIngest().getEndpoint().getSecret("any", "a").getKey()).isNotEqualTo(before);
    svix.getIngest()
        .getEndpoint()
        .updateHeaders("any", "a", new IngestEndpointHeadersIn().headers(Map.of("X-Mine", "1")));
    assertThat(svix.getIngest().getEndpoint().getHeaders("any", "a").getSensitive())
        .containsExactly("X-Mine");
    svix.getIngest()
        .getEndpoint()
        .update(
            "any",
            "a",
            new IngestEndpointUpdate().url(URI.create(environment.receiver.url("/b"))).uid("a"));
    assertThat(svix.getIngest().getEndpoint().get("any", "a").getUrl().getPath()).isEqualTo("/b");
    svix.getIngest().getEndpoint().delete("any", "a");
    assertThat(svix.getIngest().getEndpoint().list("any").getData()).isEmpty();
  }
}
