package dev.postrider.configfile.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.app.App;
import dev.postrider.cli.Cli;
import dev.postrider.cli.option.FileSettings;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.configfile.BadFile;
import dev.postrider.json.Json;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.FileServer;
import dev.postrider.testkit.KmsStandIn;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** A server whose configuration file is at a URL, on both databases. */
@Timeout(180)
@OnEachDatabase
final class RemoteConfigurationTest {
  private static final String FILE = "/hooks.yaml";
  private static final String FAST = "CONFIG_POLL_INTERVAL=1s";
  private static final String OFF = "CONFIG_POLL_INTERVAL=off";

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private final FileServer files = new FileServer();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @AfterEach
  void close() {
    files.close();
  }

  private static String sources(String... names) {
    StringBuilder text = new StringBuilder("sources:\n");
    for (String name : names) {
      text.append("  ").append(name).append(": { verify: none }\n");
    }
    return text.toString();
  }

  private static List<String> names(Apps apps, App app) {
    return apps.expect(app, 200, "GET", "/source", "")
        .json()
        .get("data")
        .valueStream()
        .map(source -> source.get("name").asString())
        .toList();
  }

  private static JsonNode state(Apps apps, App app) {
    return apps.expect(app, 200, "GET", "/configuration", "").json().path("remote");
  }

  private static void untilState(Apps apps, App app, String wanted) {
    apps.await(wanted, () -> state(apps, app).path("state").asString("").equals(wanted));
  }

  private static JsonNode health(App app) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + app.port() + "/health");
      return Json.MAPPER.readTree(
          client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private int cli(Map<String, String> environment, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new Cli(
            new Cli.Actions(_ -> 7, _ -> 8),
            environment,
            new PrintWriter(out),
            new PrintWriter(err))
        .run(arguments);
  }

  @Test
  void eachNewVersionIsAppliedWhileTheServerRuns() {
    files.put(FILE, sources("one"));
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("CONFIG=" + files.url(FILE), FAST);
      assertThat(names(apps, app)).containsExactly("one");
      JsonNode first = state(apps, app);
      assertThat(first.get("state").asString()).isEqualTo("current");
      assertThat(first.get("location").asString()).isEqualTo(files.url(FILE));

      files.put(FILE, sources("one", "two"));
      apps.await("two", () -> names(apps, app).size() == 2);
      apps.await(
          "the new version", () -> !state(apps, app).get("version").equals(first.get("version")));
      untilState(apps, app, "current");

      files.put(FILE, "sources:\n  three: { verify: nonsense }\n");
      untilState(apps, app, "rejected");
      assertThat(state(apps, app).get("detail").asString())
          .contains(files.url(FILE) + ":2:")
          .contains("sources.three.verify");
      assertThat(names(apps, app)).hasSize(2);
      JsonNode health = health(app);
      assertThat(health.get("status").asString()).isEqualTo("ok");
      assertThat(health.at("/configuration/state").asString()).isEqualTo("rejected");
      assertThat(health.get("configuration").propertyNames())
          .as("for everyone")
          .containsExactly("state", "version", "checkedAt", "appliedAt");

      files.instead(Receiver.Answer.of(500));
      untilState(apps, app, "unreachable");
      assertThat(state(apps, app).get("detail").asString()).contains("status 500");
      files.instead(Receiver.Answer.of(0));
      untilState(apps, app, "rejected");
      files.put(FILE, sources("three"));
      apps.await("three", () -> names(apps, app).equals(List.of("three")));
      untilState(apps, app, "current");
    }
  }

  @Test
  void aVersionThatIsKnownIsAskedForByItsEtagAndNotAppliedAgain() {
    files.put(FILE, sources("one"));
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("CONFIG=" + files.url(FILE), FAST);
      int asked = files.requests().size();
      apps.await("three polls", () -> files.requests().size() >= asked + 3);
      assertThat(files.requests().getLast().header("if-none-match")).isNotEmpty();
      apps.expect(app, 204, "DELETE", "/source/one", "");
      int later = files.requests().size();
      apps.await("two polls", () -> files.requests().size() >= later + 2);
      assertThat(names(apps, app)).isEmpty();
      app.reload();
      assertThat(names(apps, app)).as("a signal applies it again").containsExactly("one");
      assertThat(files.requests().stream().filter(r -> r.header("if-none-match").isEmpty()))
          .hasSize(2);
    }
  }

  @Test
  void aServerStartsWithTheLastVersionThatWasApplied() throws IOException {
    String config = "CONFIG=" + files.url(FILE);
    files.put(FILE, sources("one"));
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start(config, OFF);
      String version = state(apps, app).get("version").asString();
      Path copy = folder.resolve(LastApplied.FILE_NAME);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
          .isEqualTo("rw-------");
      apps.expect(app, 204, "DELETE", "/source/one", "");
      apps.stop(app);

      files.instead(Receiver.Answer.of(503));
      App again = apps.start(config, FAST);
      JsonNode state = state(apps, again);
      assertThat(state.get("state").asString()).isEqualTo("unreachable");
      assertThat(state.get("version").asString()).isEqualTo(version);
      assertThat(names(apps, again)).as("the copy is not applied again").isEmpty();
      files.instead(Receiver.Answer.of(0));
      untilState(apps, again, "current");
      assertThat(names(apps, again)).containsExactly("one");
      apps.stop(again);

      files.put(FILE, "sources: 7\n");
      App third = apps.start(config, OFF);
      assertThat(state(apps, third).get("state").asString()).isEqualTo("rejected");
      assertThat(names(apps, third)).containsExactly("one");
      apps.stop(third);

      files.instead(Receiver.Answer.of(503));
      assertThatThrownBy(() -> apps.start("CONFIG=" + files.url("/other.yaml"), OFF))
          .as("the copy is that of another file")
          .isInstanceOf(BadFile.class);
      Files.writeString(copy, "{\"location\":");
      assertThatThrownBy(() -> apps.start(config, OFF))
          .isInstanceOfSatisfying(
              BadFile.class,
              e ->
                  assertThat(e.lines().getFirst())
                      .contains("has no copy of an earlier version", "status 503"));
    }
  }

  @Test
  void aNewDatabaseGetsWhatTheCopyDeclares() {
    String config = "CONFIG=" + files.url(FILE);
    files.put(FILE, sources("one"));
    try (Apps apps = new Apps(kind, folder)) {
      apps.start(config, OFF);
    }
    files.instead(Receiver.Answer.of(503));
    try {
      Files.deleteIfExists(folder.resolve("postrider.db"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start(config, OFF);
      assertThat(names(apps, app)).containsExactly("one");
    }
  }

  @Test
  void commandsReadTheFileAtItsUrl() {
    String url = files.url(FILE);
    files.put(FILE, sources("one") + "settings: { max_body: 2MB }\n");
    files.put("/hooks.staging.yaml", "settings: { max_body: 3MB }\n");
    try (Apps apps = new Apps(kind, folder)) {
      Map<String, String> environment = new HashMap<>(apps.environment(OFF));
      assertThat(cli(environment, "validate", "--config", url)).as(err.toString()).isZero();
      assertThat(out.toString()).contains(url + " is valid: sources 1");
      Map<String, String> flags = Map.of("--config", url, "--env", "staging");
      assertThat(FileSettings.config(environment, flags).server().maxBodyBytes())
          .isEqualTo(3 * 1024 * 1024);

      App app = apps.start("CONFIG=" + url, OFF);
      environment.put("POSTRIDER_SERVER", "http://127.0.0.1:" + app.port());
      files.put(FILE, sources("one", "two") + "settings: { max_body: 4MB }\n");
      assertThat(cli(environment, "plan", "--config", url)).as(err.toString()).isEqualTo(3);
      assertThat(out.toString()).contains("+ create source two");
      assertThat(cli(environment, "apply", "--config", url)).as(err.toString()).isZero();
      assertThat(names(apps, app)).as("the same owner").hasSize(2);
      environment.put("POSTRIDER_PORT", Integer.toString(app.port()));
      assertThat(cli(environment, "doctor", "--offline", "--config", url)).isZero();
      assertThat(out.toString()).contains("valid, read from " + url).contains("config");

      files.instead(Receiver.Answer.of(503));
      assertThat(FileSettings.config(environment, Map.of("--config", url)).server().maxBodyBytes())
          .as("the copy that the server has applied")
          .isEqualTo(2 * 1024 * 1024);
      assertThat(cli(environment, "doctor", "--offline", "--config", url)).isEqualTo(1);
      assertThat(out.toString()).contains("cannot be fetched", "status 503");
      assertThat(cli(environment, "validate", "--config", url)).isEqualTo(ExitCode.USER_ERROR);
      assertThat(cli(environment, "init", "--config", url)).isEqualTo(ExitCode.USER_ERROR);
    }
  }

  @Test
  void objectsOfAStoreAreFetchedWithSignedRequests() {
    files.put("/bucket/a%20%2Bfolder/hooks.yaml", sources("one"));
    files.put("/bucket/a%20%2Bfolder/hooks.staging.yaml", sources("two"));
    String[] store = {
      "CONFIG=s3://bucket/a%20+folder/hooks.yaml",
      "ENV=staging",
      "CONFIG_S3_ENDPOINT=" + files.endpoint(),
      "CONFIG_S3_REGION=" + FileServer.REGION,
      "CONFIG_S3_ACCESS_KEY=" + KmsStandIn.ACCESS_KEY,
      "CONFIG_S3_SECRET_KEY=" + KmsStandIn.SECRET_KEY,
      FAST
    };
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start(store);
      assertThat(names(apps, app)).containsExactlyInAnyOrder("one", "two");
      files.put("/bucket/a%20%2Bfolder/hooks.staging.yaml", sources("three"));
      apps.await("three", () -> names(apps, app).contains("three"));
      assertThat(files.requests().getLast().header("if-none-match")).isNotEmpty();
      apps.stop(app);

      store[5] = "CONFIG_S3_SECRET_KEY=wrong";
      App refused = apps.start(store);
      assertThat(state(apps, refused).get("detail").asString())
          .contains("s3://bucket/a%20+folder/hooks.yaml: responded with status 403")
          .contains("SignatureDoesNotMatch")
          .doesNotContain("wrong");
    }
  }

  @Test
  void theVariablesOfAwsAreUsedToo() {
    files.put("/bucket/hooks.yaml", sources("one"));
    try (Apps apps = new Apps(kind, folder)) {
      App app =
          apps.start(
              "CONFIG=s3://bucket/hooks.yaml",
              "CONFIG_S3_ENDPOINT=" + files.endpoint(),
              "env:AWS_REGION=" + FileServer.REGION,
              "env:AWS_ACCESS_KEY_ID=" + KmsStandIn.ACCESS_KEY,
              "env:AWS_SECRET_ACCESS_KEY=" + KmsStandIn.SECRET_KEY,
              OFF);
      assertThat(names(apps, app)).containsExactly("one");
      apps.stop(app);
      App unsigned =
          apps.start(
              "CONFIG=s3://bucket/hooks.yaml", "CONFIG_S3_ENDPOINT=" + files.endpoint(), OFF);
      assertThat(state(apps, unsigned).get("detail").asString()).contains("status 403");
      assertThat(files.requests().getLast().header("authorization")).isEmpty();
    }
  }

  @Test
  void secretsAreSentAndNeverShown() {
    files.put(FILE + "?key=s3cret", sources("one"));
    try (Apps apps = new Apps(kind, folder)) {
      String url = files.url(FILE + "?key=s3cret");
      App app = apps.start("CONFIG=" + url, "CONFIG_TOKEN=t0ken", OFF);
      assertThat(files.requests().getLast().header("authorization")).isEqualTo("Bearer t0ken");
      assertThat(apps.expect(app, 200, "GET", "/configuration", "").json().toString())
          .contains(files.url(FILE))
          .doesNotContain("t0ken")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void onlyWhatTheOperatorAllowsIsFetched() {
    try (Apps apps = new Apps(kind, folder)) {
      refused(apps, "http://10.1.2.3/hooks.yaml", "POSTRIDER_CONFIG_ALLOW_TARGETS");
      refused(apps, "https://169.254.169.254/hooks.yaml", "POSTRIDER_CONFIG_ALLOW_TARGETS");
      refused(apps, "http://8.8.8.8/hooks.yaml", "use https://");
      files.instead(new Receiver.Answer(302, Map.of("Location", files.url(FILE)), ""));
      refused(apps, files.url(FILE), "redirects are not followed");
      files.instead(
          new Receiver.Answer(200, Map.of(), "# " + "x".repeat(FileClient.MAX_BYTES) + "\n"));
      refused(apps, files.url(FILE), "more than 4194304 bytes");
      assertThat(names(apps, apps.start())).as("nothing was applied").isEmpty();
    }
  }

  private static void refused(Apps apps, String url, String why) {
    assertThatThrownBy(() -> apps.start("CONFIG=" + url, OFF))
        .isInstanceOfSatisfying(
            BadFile.class, e -> assertThat(e.lines().getFirst()).contains(url, why));
  }

  @Test
  void instancesDoNotPollTogetherAndWaitLongerAfterFailures() {
    Duration second = Duration.ofSeconds(1);
    assertThat(RemoteConfiguration.delayMs(second, 0, 0)).isEqualTo(900);
    assertThat(RemoteConfiguration.delayMs(second, 0, 1)).isEqualTo(1_100);
    assertThat(RemoteConfiguration.delayMs(second, 1, 0.5)).isEqualTo(1_000);
    assertThat(RemoteConfiguration.delayMs(second, 4, 0.5)).isEqualTo(8_000);
    assertThat(RemoteConfiguration.delayMs(second, 40, 0.5)).isEqualTo(600_000);
    assertThat(RemoteConfiguration.delayMs(Duration.ofHours(1), 9, 0.5)).isEqualTo(3_600_000);
  }
}
