package dev.postrider.api.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.app.App;
import dev.postrider.audit.Actor;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.SecretUnreadable;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.maintenance.Purger;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** With ownDataKey the secrets of an application are encrypted with a data key of its own. */
@Timeout(180)
@OnEachDatabase
final class OwnDataKeyTest {
  private static final String ON = "{\"ownDataKey\":true}";

  @TempDir Path folder;
  @Parameter Databases.Kind kind;
  private final Receiver receiver = new Receiver();
  private Apps apps;
  private App app;

  @BeforeEach
  void start() {
    apps = new Apps(kind, folder);
    app = apps.start();
  }

  @AfterEach
  void close() {
    apps.close();
    receiver.close();
  }

  /** A column of sealed values, with the condition for the rows of an application. */
  private record Column(String table, String column, String ofApplication) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("endpoints", "headers", "application_id = :app"),
          new Column("signing_secrets", "sealed", "application_id = :app"),
          new Column("integrations", "sealed", "application_id = :app"),
          new Column(
              "queue_tokens",
              "sealed",
              "queue_id IN (SELECT id FROM queues WHERE application_id = :app)"),
          new Column("sources", "token", "application_id = :app"),
          new Column(
              "source_secrets",
              "sealed",
              "source_id IN (SELECT id FROM sources WHERE application_id = :app)"));

  private List<byte[]> sealed(String uid, Column column) {
    Id application = application(uid);
    TestEngine engine = TestEngine.of(app.engine());
    return engine
        .database()
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT %s AS sealed FROM %s WHERE %s AND %s IS NOT NULL"
                            .formatted(
                                column.column(),
                                column.table(),
                                column.ofApplication(),
                                column.column()))
                    .bind("app", application)
                    .map(Row.mapper(engine.database().dialect(), row -> row.bytes("sealed")))
                    .list());
  }

  private Id application(String uid) {
    String text = apps.expect(app, 200, "GET", "/app/" + uid, "").text("/id");
    return Id.parse(IdKind.APPLICATION, text);
  }

  /** Whether all secrets of the application are sealed with a key of its own. */
  private boolean own(String uid) {
    return COLUMNS.stream()
        .flatMap(column -> sealed(uid, column).stream())
        .noneMatch(Keyring::isOfEnvironment);
  }

  /** One secret of each kind. */
  private void fill(String uid) {
    String base = "/app/" + uid;
    apps.expect(
        app,
        201,
        "POST",
        base + "/endpoint",
        "{\"uid\":\"e\",\"url\":\"%s\",\"headers\":{\"Authorization\":\"Bearer of-the-receiver\"}}"
            .formatted(receiver.url("/" + uid)));
    apps.expect(app, 204, "POST", base + "/endpoint/e/secret/rotate", "{}");
    apps.expect(app, 200, "GET", base + "/secret", "");
    apps.expect(app, 201, "POST", base + "/integration", "{\"name\":\"zapier\"}");
    apps.expect(app, 201, "POST", base + "/queue", "{\"name\":\"work\"}");
    apps.expect(app, 201, "POST", "/auth/app/" + uid + "/poller/work/token/rotate", "{}");
    apps.expect(
        app,
        201,
        "POST",
        "/source",
        "{\"name\":\"%s\",\"verify\":\"github\",\"secret\":\"a-secret-of-github\"}".formatted(uid));
    rotateToken(uid);
    for (Column column : COLUMNS) {
      assertThat(sealed(uid, column)).as(column.table()).isNotEmpty();
    }
  }

  /** The token of the secret URL of the source. */
  private void rotateToken(String source) {
    String url =
        "http://127.0.0.1:%d/ingest/api/v1/source/%s/token/rotate".formatted(app.port(), source);
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(URI.create(url))
                  .header("Authorization", "Bearer " + Apps.KEY)
                  .POST(HttpRequest.BodyPublishers.ofString("{}"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void send(String uid, int received) {
    apps.expect(app, 202, "POST", "/app/" + uid + "/msg", "{\"eventType\":\"a\",\"payload\":{}}");
    Receiver.Request request = receiver.await(received).getLast();
    assertThat(request.header("authorization")).isEqualTo("Bearer of-the-receiver");
    assertThat(request.header("webhook-signature")).startsWith("v1,");
  }

  private void create(String uid, String more) {
    apps.expect(
        app, 201, "POST", "/app", "{\"name\":\"%s\",\"uid\":\"%s\"%s}".formatted(uid, uid, more));
  }

  @Test
  void allSecretsOfTheApplicationAreSealedWithItsKey() {
    create("acme", ",\"ownDataKey\":true");
    create("other", "");
    fill("acme");
    fill("other");
    assertThat(own("acme")).isTrue();
    for (Column column : COLUMNS) {
      assertThat(sealed("other", column)).as(column.table()).allMatch(Keyring::isOfEnvironment);
    }
    send("acme", 1);
    send("other", 2);
    apps.stop(app);
    app = apps.start();
    send("acme", 3);
  }

  @Test
  void itIsSwitchedOnByTheEnvironmentAndNeverOff() {
    create("acme", "");
    assertThat(ownDataKey("acme")).isFalse();
    String key =
        apps.expect(
                app, 201, "POST", "/auth/api-key", "{\"name\":\"k\",\"applicationId\":\"acme\"}")
            .text("/token");
    assertThat(apps.callAs(app, key, "PATCH", "/app/acme", ON).status()).isEqualTo(403);
    for (String path : List.of("/app/acme", "/environment")) {
      assertThat(apps.expect(app, 200, "PATCH", path, ON).json().at("/ownDataKey").asBoolean())
          .as(path)
          .isTrue();
      Apps.Answer refused = apps.call(app, "PATCH", path, "{\"ownDataKey\":false}");
      assertThat(refused.status()).as(path).isEqualTo(422);
      assertThat(refused.text("/detail/0/msg")).contains("cannot be switched off");
      assertThat(apps.call(app, "PATCH", path, "{\"ownDataKey\":null}").status()).isEqualTo(422);
      apps.expect(app, 200, "PATCH", path, "{\"name\":\"N\"}");
    }
    apps.expect(app, 200, "PUT", "/app/acme", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    assertThat(ownDataKey("acme")).isTrue();
    create("late", "");
    assertThat(ownDataKey("late")).as("by the environment").isTrue();
    fill("late");
    assertThat(own("late")).isTrue();
  }

  private boolean ownDataKey(String uid) {
    return apps.expect(app, 200, "GET", "/app/" + uid, "").json().at("/ownDataKey").asBoolean();
  }

  @Test
  void whatWasSealedBeforeStaysReadableAndIsSealedAgain() {
    create("acme", "");
    fill("acme");
    assertThat(own("acme")).isFalse();
    apps.expect(app, 200, "PATCH", "/app/acme", ON);
    send("acme", 1);
    apps.await("all secrets are sealed again", () -> own("acme"));
    send("acme", 2);
    apps.expect(app, 200, "GET", "/app/acme/endpoint/e/secret", "");
    apps.stop(app);
    app = apps.start();
    send("acme", 3);
    assertThat(apps.expect(app, 200, "GET", "/background-task", "").json().at("/data"))
        .as("tasks that no caller has started")
        .isEmpty();
  }

  @Test
  void aPurgeDeletesTheKeyAndNothingCanBeReadAnymore() {
    create("acme", ",\"ownDataKey\":true");
    create("other", "");
    fill("acme");
    fill("other");
    List<byte[]> ofAcme = new ArrayList<>();
    COLUMNS.forEach(column -> ofAcme.addAll(sealed("acme", column)));
    List<byte[]> ofOther = sealed("other", COLUMNS.getFirst());
    Id other = endpoint("other");
    apps.expect(app, 204, "DELETE", "/source/acme", "");
    apps.expect(app, 204, "DELETE", "/app/acme", "");
    TestEngine engine = TestEngine.of(app.engine());
    assertThat(keys(engine)).isEqualTo(2);
    var _ = new Purger(engine.database(), engine.time(), engine.ids(), Actor.SERVER).purge(_ -> {});
    assertThat(keys(engine)).isEqualTo(1);
    for (byte[] sealed : ofAcme) {
      assertThatThrownBy(() -> engine.keyring().open(Environment.DEFAULT_ID, sealed, new byte[0]))
          .isInstanceOf(SecretUnreadable.class)
          .hasMessageContaining("is missing");
    }
    byte[] context = ("headers " + other).getBytes(StandardCharsets.UTF_8);
    assertThat(
            new String(
                engine.keyring().open(Environment.DEFAULT_ID, ofOther.getFirst(), context),
                StandardCharsets.UTF_8))
        .contains("of-the-receiver");
  }

  private static long keys(TestEngine engine) {
    return engine
        .database()
        .read(
            handle ->
                handle
                    .createQuery("SELECT count(*) FROM data_keys WHERE environment_id = :env")
                    .bind("env", Environment.DEFAULT_ID)
                    .mapTo(Long.class)
                    .one());
  }

  private Id endpoint(String uid) {
    String text = apps.expect(app, 200, "GET", "/app/" + uid + "/endpoint/e", "").text("/id");
    return Id.parse(IdKind.ENDPOINT, text);
  }

  /** A purge of the former application would delete the key. */
  @Test
  void aSourceThatMovesToAnotherApplicationIsSealedWithItsKey() {
    create("acme", ",\"ownDataKey\":true");
    fill("acme");
    apps.expect(app, 204, "DELETE", "/app/acme", "");
    apps.expect(app, 200, "PATCH", "/source/acme", "{\"enabled\":true}");
    assertThat(ownDataKey("acme")).isFalse();
    List<Column> ofSource = COLUMNS.subList(4, 6);
    for (Column column : ofSource) {
      assertThat(sealed("acme", column))
          .as(column.table())
          .isNotEmpty()
          .allMatch(Keyring::isOfEnvironment);
    }
    apps.expect(app, 200, "PATCH", "/app/acme", ON);
    apps.expect(
        app,
        200,
        "POST",
        "/source/acme/secret/rotate",
        "{\"secret\":\"another-secret-of-github\"}");
    assertThat(sealed("acme", ofSource.getLast()).stream().filter(Keyring::isOfEnvironment))
        .hasSize(1);
  }

  @Test
  void theFileSwitchesItOnToo() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("hooks.yaml"),
            """
            applications: { acme: { own_data_key: true } }
            sources: { acme: { verify: github, secret: a-secret-of-github } }
            handlers: { crm: { source: acme, url: "%s", headers: { Authorization: Bearer of-the-receiver } } }
            """
                .formatted(receiver.url("/crm")));
    if (kind == Databases.Kind.SQLITE) {
      apps.stop(app);
    }
    app = apps.start("CONFIG=" + file);
    assertThat(ownDataKey("acme")).isTrue();
    apps.await("the secrets are sealed again", () -> own("acme"));
    send("acme", 1);
    Files.writeString(
        file,
        Files.readString(file).replace("own_data_key: true", "name: Acme").replace("crm", "erp"));
    app.reload();
    assertThat(ownDataKey("acme")).isTrue();
    assertThat(own("acme")).as("sealed within the transaction of the file").isTrue();
  }

  @Test
  void storedResponsesAreSealedWithItToo() {
    create("acme", ",\"ownDataKey\":true");
    String body = "{\"uid\":\"e\",\"url\":\"" + receiver.url("/") + "\"}";
    String[] key = {"idempotency-key", "k1"};
    Apps.Answer first = apps.call(app, "POST", "/app/acme/endpoint", body, key);
    assertThat(first.status()).isEqualTo(201);
    Apps.Answer again = apps.call(app, "POST", "/app/acme/endpoint", body, key);
    assertThat(again.text("/id")).isEqualTo(first.text("/id"));
    TestEngine engine = TestEngine.of(app.engine());
    List<byte[]> answers =
        engine
            .database()
            .read(
                handle ->
                    handle
                        .createQuery("SELECT sealed FROM call_answers WHERE sealed IS NOT NULL")
                        .map(Row.mapper(engine.database().dialect(), row -> row.bytes("sealed")))
                        .list());
    assertThat(answers)
        .singleElement()
        .satisfies(one -> assertThat(Keyring.isOfEnvironment(one)).isFalse());
  }
}
