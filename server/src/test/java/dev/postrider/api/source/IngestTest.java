package dev.postrider.api.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.svix.Svix;
import com.svix.SvixOptions;
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
import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The official Java client of Svix drives the ingest calls, on both databases. */
@OnEachDatabase
final class IngestTest {
  private static final String PUSH = "{\"ref\":\"main\"}";

  @TempDir Path folder;
  private GatewayFixture gateway;
  private App app;
  private Svix svix;

  @Parameter Databases.Kind kind;

  @BeforeEach
  void open() {
    gateway = new GatewayFixture(kind, folder);
    app = gateway.start();
    SvixOptions options = new SvixOptions();
    options.setServerUrl("http://127.0.0.1:" + app.port());
    svix = new Svix(GatewayFixture.KEY, options);
  }

  @AfterEach
  void close() {
    gateway.close();
  }

  private static String path(String url) {
    return URI.create(url).getPath();
  }

  private Answer push(String url, String secret) {
    return gateway.send(
        app,
        "POST",
        path(url),
        PUSH.getBytes(StandardCharsets.UTF_8),
        "X-GitHub-Event",
        "push",
        "X-Hub-Signature-256",
        "sha256=" + GatewayFixture.hmac(secret, PUSH));
  }

  /** The ids of what the source refused. */
  private List<String> log(String query) {
    return gateway
        .send(
            app,
            "GET",
            "/ingest/api/v1/source/gh/log" + query,
            new byte[0],
            "Authorization",
            "Bearer " + GatewayFixture.KEY)
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
    String renewed =
        gateway
            .send(
                app,
                "POST",
                "/ingest/api/v1/source/gh/token/rotate",
                new byte[0],
                "Authorization",
                "Bearer " + GatewayFixture.KEY)
            .text("/ingestUrl");
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
    gateway.await(
        "the refusal is in the log",
        () ->
            gateway
                .send(
                    app,
                    "GET",
                    "/ingest/api/v1/source/gh/log",
                    new byte[0],
                    "Authorization",
                    "Bearer " + GatewayFixture.KEY)
                .text("/data/0/error_text")
                .startsWith("mismatch"));
    assertThat(push(renewed, "other still").status()).isEqualTo(401);
    gateway.await("both are there", () -> log("").size() == 2);
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
    try (Receiver receiver = new Receiver()) {
      IngestEndpointOut made =
          svix.getIngest()
              .getEndpoint()
              .create("any", new IngestEndpointIn().url(URI.create(receiver.url("/a"))).uid("a"));
      assertThat(
              gateway
                  .send(
                      app,
                      "POST",
                      source.getIngestUrl().getPath(),
                      PUSH.getBytes(StandardCharsets.UTF_8))
                  .status())
          .isEqualTo(200);
      assertThat(receiver.await(1).getFirst().text()).isEqualTo(PUSH);
      assertThat(svix.getIngest().getEndpoint().list("any").getData()).hasSize(1);
      String before = svix.getIngest().getEndpoint().getSecret("any", "a").getKey();
      svix.getIngest()
          .getEndpoint()
          .rotateSecret("any", made.getId(), new IngestEndpointSecretIn());
      assertThat(svix.getIngest().getEndpoint().getSecret("any", "a").getKey())
          .isNotEqualTo(before);
      svix.getIngest()
          .getEndpoint()
          .updateHeaders("any", "a", new IngestEndpointHeadersIn().headers(Map.of("X-Mine", "1")));
      assertThat(svix.getIngest().getEndpoint().getHeaders("any", "a").getSensitive())
          .containsExactly("X-Mine");
      svix.getIngest()
          .getEndpoint()
          .update(
              "any", "a", new IngestEndpointUpdate().url(URI.create(receiver.url("/b"))).uid("a"));
      assertThat(svix.getIngest().getEndpoint().get("any", "a").getUrl().getPath()).isEqualTo("/b");
      svix.getIngest().getEndpoint().delete("any", "a");
      assertThat(svix.getIngest().getEndpoint().list("any").getData()).isEmpty();
    }
  }
}
