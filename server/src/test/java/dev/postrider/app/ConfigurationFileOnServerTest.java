package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.cli.Cli;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.configfile.BadFile;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server with a configuration file: at its start, while it runs, and from the command line. */
@Timeout(120)
final class ConfigurationFileOnServerTest {
  private static final String MESSAGE = "{\"eventType\":\"a.b\",\"payload\":{}}";

  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @AfterEach
  void close() {
    receiver.close();
  }

  private Path write(String path, String more) {
    try {
      return Files.writeString(
          folder.resolve("hooks.yaml"),
          """
          applications: { acme: {} }
          endpoints:
            main: { application: acme, url: "%s"%s }
          """
              .formatted(receiver.url(path), more));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int cli(App app, Map<String, String> more, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    Map<String, String> environment = new HashMap<>(more);
    environment.put("POSTRIDER_SERVER", "http://127.0.0.1:" + app.port());
    environment.put("POSTRIDER_CONFIG", folder.resolve("hooks.yaml").toString());
    return new Cli(
            new Cli.Actions(_ -> 7, _ -> 8),
            environment,
            new PrintWriter(out),
            new PrintWriter(err))
        .run(arguments);
  }

  @ParameterizedTest
  @EnumSource
  void theFileIsAppliedAtTheStartAndReloadedWithoutARestart(Databases.Kind kind) {
    Path file = write("/one", "");
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("CONFIG=" + file);
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      receiver.await(1, request -> request.path().equals("/one"));
      write("/two", "");
      app.reload();
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      receiver.await(1, request -> request.path().equals("/two"));
      write("/three", ", urk: 1");
      app.reload();
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      receiver.await(2, request -> request.path().equals("/two"));
      assertThat(apps.expect(app, 200, "GET", "/configuration", "").number("/version"))
          .isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void variablesOfAnOverlayComeFromItsFileUnlessTheyAreSet(Databases.Kind kind) throws IOException {
    Path file = write("/${STAGE_PATH}", "");
    Files.writeString(folder.resolve("hooks.staging.yaml"), "");
    Files.writeString(folder.resolve("hooks.production.yaml"), "");
    Path variables = folder.resolve(".env.staging");
    Files.writeString(variables, "# of staging\nexport STAGE_PATH='one'\n");
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("CONFIG=" + file, "ENV=staging");
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      receiver.await(1, request -> request.path().equals("/one"));
      Files.writeString(variables, "STAGE_PATH=two\n");
      app.reload();
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      receiver.await(1, request -> request.path().equals("/two"));
      Files.writeString(variables, "STAGE_PATH three\n");
      app.reload();
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      receiver.await(2, request -> request.path().equals("/two"));
      Files.writeString(variables, "STAGE_PATH=four\n");
      apps.stop(app);

      app = apps.start("CONFIG=" + file, "ENV=staging", "env:STAGE_PATH=set");
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      receiver.await(1, request -> request.path().equals("/set"));
      apps.stop(app);

      app = apps.start("CONFIG=" + file, "ENV=production", "env:STAGE_PATH=other");
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      receiver.await(1, request -> request.path().equals("/other"));
      assertThat(receiver.requests(request -> request.path().contains("STAGE"))).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void waitingDeliveriesSurviveAChangeOfTheirEndpoint(Databases.Kind kind) {
    receiver.behave(request -> Receiver.Answer.of(request.path().equals("/bad") ? 500 : 200));
    Path file = write("/bad", ", retry: [1s, 1s, 1s, 1s, 1s]");
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start("CONFIG=" + file);
      for (int n = 0; n < 5; n++) {
        apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      }
      receiver.await(5, request -> request.path().equals("/bad"));
      write("/good", ", retry: [1s, 1s, 1s, 1s, 1s]");
      app.reload();
      receiver.await(5, request -> request.path().equals("/good"));
      apps.await(
          "all are delivered",
          () ->
              apps.expect(app, 200, "GET", "/app/acme/delivery", "")
                  .json()
                  .path("data")
                  .valueStream()
                  .allMatch(delivery -> delivery.path("status").asString().equals("delivered")));
    }
  }

  /** The receiver knows nothing but the words that stand in the file. */
  @ParameterizedTest
  @ValueSource(strings = {"a-plain-shared-secret", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"})
  void theReceiverVerifiesWithThePlainSecretOfTheFile(String secret) throws Exception {
    Path file = write("/agent", ", signature: observatory, secret: " + secret);
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      App app = apps.start("CONFIG=" + file);
      apps.expect(app, 202, "POST", "/app/acme/msg", MESSAGE);
      Receiver.Request request = receiver.await(1, one -> one.path().equals("/agent")).getFirst();
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      assertThat(request.header("X-Observatory-Signature"))
          .isEqualTo("sha256=" + HexFormat.of().formatHex(mac.doFinal(request.body())));
    }
  }

  @Test
  void aServerWithABadFileDoesNotStart() {
    Path file = write("/one", ", urk: 1");
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      assertThatThrownBy(() -> apps.start("CONFIG=" + file))
          .isInstanceOf(BadFile.class)
          .hasMessageContaining("endpoints.main.urk: is unknown");
    }
  }

  @ParameterizedTest
  @EnumSource
  void planShowsAndApplyMakesTheDifference(Databases.Kind kind) {
    write("/one", "");
    Map<String, String> key = Map.of("POSTRIDER_API_KEY", Apps.KEY);
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      assertThat(cli(app, key, "plan")).as(err.toString()).isEqualTo(3);
      assertThat(out.toString())
          .isEqualToNormalizingNewlines(
              "+ create application acme\n+ create endpoint acme/main\n2 to create.\n");
      apps.expect(app, 404, "GET", "/app/acme", "");
      assertThat(cli(app, key, "apply")).as(err.toString()).isZero();
      assertThat(out.toString()).endsWith("2 to create. All changes are applied.\n");
      assertThat(cli(app, key, "plan", "--json")).isZero();
      assertThat(out.toString()).isEqualTo("{\"changes\":[]}\n");
      write("/two", "");
      assertThat(cli(app, key, "plan")).isEqualTo(3);
      assertThat(out.toString())
          .contains("    url: " + receiver.url("/one") + " -> " + receiver.url("/two"));
      assertThat(cli(app, Map.of("POSTRIDER_API_KEY", "sk_wrong-wrong-wrong"), "plan")).isOne();
      assertThat(err.toString())
          .contains("The server at http://127.0.0.1:", " rejected the API key.");
    }
  }

  @Test
  void aRefusalOfTheServerIsReportedWithItsLine() throws IOException {
    Files.writeString(
        folder.resolve("hooks.yaml"),
        "\nendpoints:\n  main: { application: nobody, url: \"%s\" }\n"
            .formatted(receiver.url("/")));
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      App app = apps.start();
      assertThat(cli(app, Map.of("POSTRIDER_API_KEY", Apps.KEY), "apply"))
          .isEqualTo(ExitCode.USER_ERROR);
      assertThat(err.toString())
          .contains(
              "hooks.yaml:3:9: endpoints.main: the application nobody is neither in this file");
    }
  }

  @Test
  void aRefusalInAListOrUnderANameWithDotsIsReportedWithItsLine() throws IOException {
    Files.writeString(
        folder.resolve("hooks.yaml"),
        """
        sources: { github: { verify: none } }
        event_types:
          invoice.paid: {}
        routes:
          - { source: github, event: push, agent_intent: one }
        """);
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      App app = apps.start();
      Map<String, String> key = Map.of("POSTRIDER_API_KEY", Apps.KEY);
      assertThat(cli(app, key, "plan")).isEqualTo(3);
      assertThat(err.toString()).contains("warning: ", "hooks.yaml:1:30: sources.github.verify");
      assertThat(cli(app, key, "plan", "--json")).isEqualTo(3);
      assertThat(out.toString()).contains("\"warnings\":[\"");
      apps.expect(
          app, 201, "POST", "/event-type", "{\"name\":\"invoice.paid\",\"description\":\"\"}");
      apps.expect(app, 201, "POST", "/source", "{\"name\":\"github\",\"verify\":\"none\"}");
      apps.expect(
          app,
          201,
          "POST",
          "/app/github/route",
          "{\"source\":\"github\",\"eventType\":\"push\",\"agentIntent\":\"two\"}");
      assertThat(cli(app, key, "apply")).isEqualTo(ExitCode.USER_ERROR);
      assertThat(err.toString())
          .contains("hooks.yaml:3:17: event_types.invoice.paid: ", "hooks.yaml:5:5: routes[0]: ");
    }
  }

  /** The command line of the server's own user needs no key. */
  @Test
  void theMasterKeysFileLetsTheCommandLineIn() {
    write("/one", "");
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      App app = apps.start();
      Map<String, String> local = Map.of("POSTRIDER_DATA_DIR", folder.toString());
      assertThat(cli(app, local, "plan")).as(err.toString()).isEqualTo(3);
      assertThat(cli(app, Map.of("POSTRIDER_DATA_DIR", folder + "/elsewhere"), "plan"))
          .isEqualTo(ExitCode.USER_ERROR);
      assertThat(err.toString()).contains("No API key is set. Set POSTRIDER_API_KEY");
    }
  }

  @Test
  void anotherFileIsAppliedOnlyInANameThatTheCallerChose() throws IOException {
    Path hooks = write("/one", "");
    Path other = Files.writeString(folder.resolve("other.yaml"), "applications: { other: {} }");
    Map<String, String> key = Map.of("POSTRIDER_API_KEY", Apps.KEY);
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder)) {
      App app = apps.start("CONFIG=" + hooks);
      assertThat(cli(app, key, "apply", "--config", other.toString()))
          .isEqualTo(ExitCode.USER_ERROR);
      assertThat(err.toString())
          .contains(
              "other.yaml was never applied to this server",
              "--owner hooks.yaml",
              "--owner other.yaml");
      assertThat(cli(app, key, "apply", "--config", other.toString(), "--owner", "other.yaml"))
          .as(err.toString())
          .isZero();
      apps.expect(app, 200, "GET", "/app/acme", "");
      assertThat(cli(app, key, "plan")).as("the server's file").isZero();
      assertThat(apps.expect(app, 200, "GET", "/configuration", "").text("/items/1/owner"))
          .isEqualTo("other.yaml");
      assertThat(apps.call(app, "POST", "/configuration/plan?owner=%0a", "{}").status())
          .isEqualTo(422);
      assertThat(
              apps.call(app, "POST", "/configuration/plan?file=" + "a".repeat(300), "{}").status())
          .isEqualTo(422);
    }
  }
}
