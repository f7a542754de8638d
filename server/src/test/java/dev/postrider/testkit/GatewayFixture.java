package dev.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.app.ProviderStandIns;
import dev.postrider.config.Config;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.verify.provider.CertificateFetcher;
import dev.postrider.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.TrustAnchor;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.function.BooleanSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;

/** Whole servers on either database, and callers of their API and their sources. */
public final class GatewayFixture implements AutoCloseable {
  public static final String KEY = Apps.KEY;

  public final HttpClient client = HttpClient.newHttpClient();
  private final Apps apps;

  public GatewayFixture(Databases.Kind kind, Path folder) {
    this(kind, folder, new Signals());
  }

  /** Servers that signal there, as other fixtures of the test do. */
  public GatewayFixture(Databases.Kind kind, Path folder, Signals signals) {
    this.apps = new Apps(kind, folder, signals);
  }

  /** Waits until the condition holds; fails after 60 s. */
  public void await(String what, BooleanSupplier condition) {
    apps.await(what, condition);
  }

  /** A started server; each further one on PostgreSQL is another instance on the same schema. */
  public App start(String... settings) {
    return apps.start(settings);
  }

  /** A started server for which the test stands in for the hosts of Amazon SNS. */
  public App start(
      CertificateFetcher certificates, Set<TrustAnchor> anchors, Gateway.Confirmer confirmer) {
    return apps.started(
        ProviderStandIns.open(Config.of(apps.environment()), certificates, anchors, confirmer));
  }

  /** An answer; its body is JSON's null if it is none. */
  public record Answer(int status, JsonNode json, HttpResponse<String> response) {
    public String text(String pointer) {
      return json.at(pointer).asString();
    }

    public String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }

  /** A call of the API; fails unless it is answered so. */
  public Answer api(int status, App app, String method, String path, String body) {
    Answer answer =
        send(
            app,
            method,
            "/api/v1" + path,
            body.getBytes(StandardCharsets.UTF_8),
            "Authorization",
            "Bearer " + KEY,
            "Content-Type",
            "application/json");
    assertThat(answer.status())
        .as(method + " " + path + ": " + answer.response().body())
        .isEqualTo(status);
    return answer;
  }

  public Answer send(App app, String method, String path, byte[] body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + path))
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
            .timeout(Duration.ofSeconds(20));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
      JsonNode json =
          response.headers().firstValue("content-type").orElse("").equals("application/json")
                  && !response.body().isEmpty()
              ? Json.MAPPER.readTree(response.body())
              : Json.MAPPER.nullNode();
      return new Answer(response.statusCode(), json, response);
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public Answer in(App app, String source, String body, String... headers) {
    return send(app, "POST", "/in/" + source, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  /** As GitHub signs. */
  public Answer github(App app, String source, String secret, String delivery, String body) {
    return in(
        app,
        source,
        body,
        "Content-Type",
        "application/json",
        "X-GitHub-Event",
        "push",
        "X-GitHub-Delivery",
        delivery,
        "X-Hub-Signature-256",
        "sha256=" + hmac(secret, body));
  }

  public static String hmac(String secret, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  public void stop(App app) {
    apps.stop(app);
  }

  @Override
  public void close() {
    apps.close();
    client.close();
  }
}
