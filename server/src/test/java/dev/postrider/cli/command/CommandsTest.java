package dev.postrider.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.app.KeysCommand;
import dev.postrider.cli.Cli;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Terminals;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.signature.Signable;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** The commands that call a server, against a real one, on both databases. */
@Timeout(120)
@OnEachDatabase
final class CommandsTest {
  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private Apps apps;
  private App app;

  @Parameter Databases.Kind kind;

  @BeforeEach
  void start() {
    apps = new Apps(kind, folder);
    app = apps.start();
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  @AfterEach
  void close() {
    apps.close();
    receiver.close();
  }

  private void endpoint(String path, String more) {
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"main\",\"url\":\"%s\"%s}".formatted(receiver.url(path), more));
  }

  /** What a command did. */
  private record Run(int code, String out, String err) {
    List<JsonNode> json() {
      return out.lines().map(Json.MAPPER::readTree).toList();
    }
  }

  private Run run(String... arguments) {
    return run(
        Map.of("POSTRIDER_SERVER", "http://127.0.0.1:" + app.port(), "POSTRIDER_API_KEY", Apps.KEY),
        arguments);
  }

  private static Run run(Map<String, String> environment, String... arguments) {
    return run(Terminals.NONE, environment, arguments);
  }

  /** With a user who looks at stderr, while the answer goes to a file. */
  private Run watched(String... arguments) {
    return run(
        new Terminals(() -> false, () -> true),
        Map.of("POSTRIDER_SERVER", "http://127.0.0.1:" + app.port(), "POSTRIDER_API_KEY", Apps.KEY),
        arguments);
  }

  private static Run run(Terminals screens, Map<String, String> environment, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new Cli(
                new Cli.Actions(_ -> 7, _ -> 8, List.of(new KeysCommand())),
                environment,
                new PrintWriter(out),
                new PrintWriter(err),
                screens)
            .run(arguments);
    return new Run(code, out.toString(), err.toString());
  }

  private Run ok(String... arguments) {
    Run run = run(arguments);
    assertThat(run.code()).as(run.err()).isZero();
    return run;
  }

  @Test
  void aDryRunShowsWhatWouldBeSentAndStoresNothing() {
    endpoint(
        "/hook", ",\"filter\":\"payload.amount > 10\",\"transform\":\"{'n': payload.amount}\"");
    String sent = ok("send", "acme", "invoice.paid", "{\"amount\": 42}", "--dry-run").out();
    assertThat(sent).contains("main", "send", "POST " + receiver.url("/hook"), "{\"n\":42}");
    assertThat(ok("send", "acme", "invoice.paid", "{\"amount\": 1}", "--dry-run").out())
        .contains("filtered");
    assertThat(ok("send", "acme", "invoice.paid", "--dry-run", "--json").json())
        .singleElement()
        .satisfies(plan -> assertThat(plan.path("dryRun").asBoolean()).isTrue());
    assertThat(run("send", "nobody", "a.b", "--dry-run").code()).isEqualTo(ExitCode.FAILED);
    assertThat(ok("events", "acme", "--json").json()).isEmpty();
    assertThat(receiver.count()).isZero();
  }

  @Test
  void anEndpointIsTestedWithoutAMessage() {
    endpoint("/hook", ",\"transform\":\"{'n': payload.amount}\"");
    receiver.behave(_ -> new Receiver.Answer(200, Map.of(), "fine"));
    assertThat(ok("endpoints", "test", "acme", "main", "invoice.paid", "{\"amount\": 42}").out())
        .contains("success", "POST " + receiver.url("/hook"), "webhook-signature", "fine", "200");
    assertThat(receiver.await(1).getFirst().text()).isEqualTo("{\"n\":42}");
    receiver.behave(_ -> Receiver.Answer.of(500));
    Run failed = run("endpoints", "test", "acme", "main", "invoice.paid", "--json");
    assertThat(failed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(failed.json().getFirst().path("responseStatusCode").asInt()).isEqualTo(500);
    assertThat(run("endpoints", "test", "acme", "none", "a").code()).isEqualTo(ExitCode.FAILED);
    assertThat(run("endpoints", "try", "acme", "main", "a").code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(ok("events", "acme", "--json").json()).isEmpty();
  }

  @Test
  void aMessageIsSentListedInspectedAndReplayed() {
    endpoint("/hook", "");
    String id = ok("send", "acme", "invoice.paid", "{\"amount\": 42}").out().strip();
    receiver.await(1);
    assertThat(receiver.requests().getFirst().text()).isEqualTo("{\"amount\":42}");
    String once = ok("send", "acme", "other.type", "--max-retries", "0").out().strip();
    assertThat(apps.expect(app, 200, "GET", "/app/acme/msg/" + once, "").number("/maxRetries"))
        .isZero();
    assertThat(run("send", "acme", "a", "--max-retries", "few").code())
        .isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("send", "acme", "a", "--max-retries", "51").code()).isEqualTo(ExitCode.FAILED);
    assertThat(ok("events", "acme", "--type", "invoice.paid").out())
        .contains(id)
        .doesNotContain("other");
    assertThat(ok("events", "acme", "--json", "--limit", "1").json())
        .singleElement()
        .satisfies(
            message -> assertThat(message.path("eventType").asString()).isEqualTo("other.type"));
    apps.await(
        "the try is recorded",
        () -> ok("inspect", "acme", id, "--json").json().getFirst().path("attempts").size() == 1);
    assertThat(ok("inspect", "acme", id).out()).contains("\"amount\" : 42", "main", "200");
    receiver.await(2);
    ok("replay", "acme", id);
    receiver.await(2, request -> request.text().contains("42"));
    assertThat(run("replay", "acme").code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("send", "acme", "a.b", "{broken").err())
        .contains("The payload is not valid JSON");
    assertThat(run("send", "nobody", "a.b").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void deadLettersAreListedAndRetried() {
    receiver.behave(_ -> Receiver.Answer.of(500));
    endpoint("/bad", ",\"retryPolicy\":\"\"");
    ok("send", "acme", "a.b");
    apps.await("given up", () -> ok("dead-letters", "acme", "--json").json().size() == 1);
    Engines.sql(TestEngine.of(app.engine()), "UPDATE deliveries SET session_id = 's 1'");
    assertThat(ok("dead-letters", "acme", "--session", "s 1", "--json").json()).hasSize(1);
    assertThat(ok("dead-letters", "acme", "--session", "s 2", "--json").json()).isEmpty();
    receiver.behave(_ -> Receiver.Answer.of(200));
    Run retried = ok("dead-letters", "acme", "--endpoint", "main", "--retry");
    assertThat(retried.err()).contains("1 are queued for retry");
    receiver.await(2);
    apps.await("delivered", () -> ok("dead-letters", "acme", "--json").json().isEmpty());
  }

  @Test
  void deliveriesOfAllApplicationsAreListedAndRetried() {
    receiver.behave(_ -> Receiver.Answer.of(500));
    endpoint("/bad", ",\"retryPolicy\":\"\"");
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    apps.expect(
        app,
        201,
        "POST",
        "/app/other/endpoint",
        "{\"url\":\"%s\"}".formatted(receiver.url("/bad")));
    ok("send", "acme", "a.b");
    ok("send", "other", "a.b");
    apps.await(
        "both failed",
        () ->
            ok("deliveries", "list", "--json").json().size() == 2
                && ok("deliveries", "list", "--status", "failed", "--json").json().size() == 1
                && ok("dead-letters", "--json").json().size() == 1);
    assertThat(ok("deliveries", "list").out())
        .containsPattern("other .*failed +1 +500 +http\\S+/bad +the response had the status 500")
        .containsPattern("acme .*dead_letter +1 +500 ");
    assertThat(ok("deliveries", "list", "acme", "--limit", "1", "--json").json()).hasSize(1);
    assertThat(ok("deliveries", "list", "--until", "1h", "--json").json()).isEmpty();
    assertThat(ok("deliveries", "list", "--session", "s-1", "--json").json()).isEmpty();
    assertThat(ok("deliveries", "list", "--signature", "valid", "--json").json()).isEmpty();
    assertThat(run("deliveries", "list", "--status", "delivered").err())
        .contains("application, endpoint_id or session_id");
    assertThat(run("deliveries", "show").code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("deliveries", "retry", "acme").err()).contains("Give the delivery");
    assertThat(run("deliveries", "list", "acme", "dlv_1").err()).contains("list has no delivery");
    assertThat(run("dead-letters", "--redrive").err()).contains("Give the application");
    assertThat(ok("dead-letters").out()).contains("acme").doesNotContain("other");
    assertThat(ok("dead-letters", "--retry").err()).contains("1 are queued for retry");
    receiver.await(3);
  }

  @Test
  void oneDeliveryIsRetriedOrCanceled() {
    receiver.behave(_ -> Receiver.Answer.of(500));
    endpoint("/bad", ",\"retryPolicy\":\"1h,1h\"");
    ok("send", "acme", "a.b");
    apps.await("failed", () -> only("failed").size() == 1);
    String delivery = only("failed").getFirst().path("id").asString();
    assertThat(ok("deliveries", "retry", "acme", delivery).out())
        .contains(delivery + " is queued for retry");
    receiver.await(2);
    apps.await("the retry has failed", () -> only("failed").size() == 1);
    assertThat(ok("deliveries", "cancel", "acme", delivery).out())
        .contains(delivery + " is canceled");
    assertThat(ok("deliveries", "cancel", "acme", delivery, "--json").json())
        .singleElement()
        .satisfies(one -> assertThat(one.path("status").asString()).isEqualTo("canceled"));
    Run unknown = run("deliveries", "cancel", "acme", "dlv_2ZsGkL0cXWvXqCbbcJk2zYm9Qhd");
    assertThat(unknown.code()).isEqualTo(ExitCode.FAILED);
  }

  private List<JsonNode> only(String status) {
    return ok("deliveries", "list", "acme", "--status", status, "--json").json();
  }

  @Test
  void theDeliveriesOfAMessageAreCanceled() {
    receiver.behave(_ -> Receiver.Answer.of(500));
    endpoint("/bad", ",\"retryPolicy\":\"1h\"");
    ok("send", "acme", "a.b");
    apps.await("failed", () -> only("failed").size() == 1);
    String message = only("failed").getFirst().path("msgId").asString();
    assertThat(ok("events", "cancel", "acme", message).out()).contains("1 canceled; 0 are being");
    assertThat(ok("events", "cancel", "acme", message, "--json").out())
        .contains("{\"canceled\":0,\"sending\":0}");
    assertThat(only("canceled")).hasSize(1);
    assertThat(run("events", "cancel", "acme").err()).contains("Give the message");
    assertThat(run("events", "replay", "acme", message).code()).isEqualTo(ExitCode.USER_ERROR);
  }

  @Test
  void whatSourcesReceivedAndRejectedIsListed() throws Exception {
    apps.expect(app, 201, "POST", "/source", "{\"name\":\"open\",\"verify\":\"none\"}");
    apps.expect(
        app,
        201,
        "POST",
        "/source",
        "{\"name\":\"signed\",\"verify\":\"github\",\"secret\":\"a-secret-of-github\"}");
    assertThat(in("open")).isEqualTo(200);
    assertThat(in("signed")).isEqualTo(401);
    apps.await(
        "the rejected request is stored",
        () -> ok("received", "list", "--outcome", "rejected", "--json").json().size() == 1);
    assertThat(ok("received", "list").out())
        .containsPattern("msg_\\S+ +open +accepted +not_asked +order.paid +127.0.0.1 +-")
        .containsPattern("signed +rejected +missing +- +127.0.0.1 +\\w+");
    assertThat(ok("received", "list", "--source", "open", "--unrouted", "--json").json())
        .hasSize(1);
    assertThat(ok("received", "list", "--signature", "missing", "--since", "1h", "--json").json())
        .singleElement()
        .satisfies(one -> assertThat(one.path("source").asString()).isEqualTo("signed"));
    assertThat(ok("received", "list", "--until", "1h", "--json").json()).isEmpty();
    assertThat(run("received", "show").code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("received", "list", "--signature", "good").code()).isEqualTo(ExitCode.FAILED);
  }

  private int in(String source) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/in/" + source))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"order.paid\"}"))
                  .build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  @Test
  void allDeadLettersOfAnApplicationAreRedriven() {
    receiver.behave(_ -> Receiver.Answer.of(500));
    endpoint("/bad", ",\"retryPolicy\":\"\"");
    ok("send", "acme", "a.b");
    ok("send", "acme", "c.d");
    apps.await("given up", () -> ok("dead-letters", "acme", "--json").json().size() == 2);
    assertThat(ok("dead-letters", "acme", "--type", "c.d", "--json").json()).hasSize(1);
    assertThat(ok("dead-letters", "acme", "--until", "1h", "--json").json()).isEmpty();
    receiver.behave(_ -> Receiver.Answer.of(200));
    assertThat(ok("dead-letters", "acme", "--redrive", "--type", "c.d").out())
        .contains("finished: 1 queued again");
    assertThat(ok("dead-letters", "acme", "--redrive", "--since", "1h").out())
        .contains("finished: 1 queued again");
    receiver.await(4);
    Run refused = run("dead-letters", "acme", "--redrive", "--endpoint", "main");
    assertThat(refused.code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(refused.err()).contains("use it without --endpoint");
  }

  @Test
  void eventsOfATypeAndATimeAreReplayed() {
    endpoint("/hook", "");
    ok("send", "acme", "a.b");
    ok("send", "acme", "a.b");
    ok("send", "acme", "c.d");
    receiver.await(3);
    apps.await(
        "delivered",
        () ->
            ok("deliveries", "list", "acme", "--status", "delivered", "--json").json().size() == 3);
    Run all = watched("events", "replay", "acme", "--type", "a.b", "--since", "1h");
    assertThat(all.out()).contains("finished: 2 queued again");
    assertThat(all.err()).contains("\r| queued again: 0").doesNotContain("maximum");
    receiver.await(5);
    Run one =
        ok(
            "events",
            "replay",
            "acme",
            "--since",
            "1h",
            "--endpoint",
            "main",
            "--limit",
            "1",
            "--json");
    assertThat(one.err()).contains("The maximum is reached");
    assertThat(one.json())
        .singleElement()
        .satisfies(
            task -> {
              assertThat(task.path("status").asString()).isEqualTo("finished");
              assertThat(task.at("/data/messagesReplayed").asInt()).isEqualTo(1);
            });
    receiver.await(6);
    assertThat(ok("events", "replay", "acme", "--since", "2d", "--until", "1d").out())
        .contains("finished: 0 queued again");
    assertThat(run("events", "replay", "acme").err()).contains("--since TIME");
    assertThat(run("events", "acme", "--endpoint", "main").err()).contains("--endpoint is for");
    assertThat(run("events", "again", "acme").err()).contains("\"again\" is not an action");
    assertThat(run("events", "replay", "acme", "--since", "1h", "--endpoint", "x").code())
        .isEqualTo(ExitCode.FAILED);
  }

  @Test
  void exportedMessagesCanBeImportedOnce() throws IOException {
    for (int n = 0; n < 3; n++) {
      ok("send", "acme", "a.b", "{\"n\":" + n + "}");
    }
    apps.await("none can come before them", () -> ok("export", "acme").json().size() == 3);
    Path file = folder.resolve("acme.jsonl");
    assertThat(ok("export", "acme", "--output", file.toString()).err()).contains("3 messages");
    assertThat(Files.readAllLines(file)).hasSize(3);
    assertThat(run("export", "acme", "--output", file.toString()).err())
        .contains("already exists and was not changed");
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Copy\",\"uid\":\"copy\"}");
    assertThat(ok("import", "copy", file.toString(), "--dry-run").out()).contains("none were sent");
    assertThat(ok("import", "copy", file.toString()).out()).contains("3 sent, 0 were sent before");
    assertThat(ok("import", "copy", file.toString()).out()).contains("0 sent, 3 were sent before");
    assertThat(ok("events", "copy", "--json").json())
        .extracting(message -> message.at("/payload/n").asInt())
        .as("the newest first, as sent")
        .containsExactly(2, 1, 0);
    assertThat(
            apps.expect(app, 200, "GET", "/app/acme/msg?order=ascending&limit=1", "")
                .number("/data/0/payload/n"))
        .isZero();
    assertThat(apps.call(app, "GET", "/app/acme/msg?order=up", "").status()).isEqualTo(422);
    Files.writeString(file, "{\"eventType\":\"a.b\",\"payload\":{}}\nnothing\n");
    Run bad = run("import", "copy", file.toString());
    assertThat(bad.code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(bad.err())
        .contains(file + ":2: this line is not a message")
        .contains("Nothing was sent");
    assertThat(ok("events", "copy", "--json").json()).hasSize(3);
  }

  @Test
  void bytesThatAreNoTextAreExportedImportedAndListenedToAsTheyWere() throws IOException {
    byte[] bytes = {(byte) 0xff, 0, 'x', (byte) 0xc3};
    String sent = java.util.Base64.getEncoder().encodeToString(bytes);
    apps.expect(
        app,
        202,
        "POST",
        "/app/acme/msg",
        "{\"eventType\":\"a.b\",\"payload\":{},\"transformationsParams\":{\"rawPayload\":\""
            + sent
            + "\",\"encoding\":\"base64\",\"headers\":{\"content-type\":\"image/png\"}}}");
    ok("send", "acme", "a.b", "{\"rawPayload\":\"is JSON here\"}");
    apps.await("none can come before them", () -> ok("export", "acme").json().size() == 2);
    Path file = folder.resolve("bytes.jsonl");
    ok("export", "acme", "--output", file.toString());
    assertThat(Files.readString(file)).contains("\"encoding\":\"base64\"");
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Copy\",\"uid\":\"copy\"}");
    assertThat(ok("import", "copy", file.toString()).out()).contains("2 sent");
    ok("listen", "copy", "--to", receiver.url("/local"), "--limit", "2", "--since", "1h");
    Receiver.Request picture =
        receiver.await(1, r -> r.header("content-type").equals("image/png")).getFirst();
    assertThat(picture.body()).isEqualTo(bytes);
    assertThat(picture.headers()).doesNotContainKeys("upgrade", "http2-settings");
    Receiver.Request json =
        receiver.await(1, r -> r.header("content-type").equals("application/json")).getFirst();
    assertThat(json.text()).isEqualTo("{\"rawPayload\":\"is JSON here\"}");
  }

  @Test
  void aFileOfMessagesIsPostedToALocalUrl() throws IOException {
    apps.expect(app, 201, "POST", "/source", "{\"name\":\"hooks\",\"verify\":\"none\"}");
    String body = "{\"price\":1.10, \"n\":12345678901234567890.50}";
    receive("application/json; charset=utf-8", body);
    receive("application/x-www-form-urlencoded", "a=1&b=%20x");
    apps.await("none can come before them", () -> ok("export", "hooks").json().size() == 2);
    Path file = folder.resolve("hooks.jsonl");
    ok("export", "hooks", "--output", file.toString());
    String url = receiver.url("/local");
    Run plain = ok("replay-local", file.toString(), "--target", url);
    assertThat(plain.out()).contains("-> 200");
    assertThat(plain.err()).contains("2 sent, 0 of them without");
    List<Receiver.Request> got = receiver.await(2);
    assertThat(got.get(0).text()).isEqualTo(body);
    assertThat(got.get(0).header("x-github-event")).isEqualTo("push");
    assertThat(got.get(1).header("content-type")).isEqualTo("application/x-www-form-urlencoded");
    String id = got.get(0).header("webhook-id");
    assertThat(plain.out()).startsWith(id);

    String secret = "whsec_" + java.util.Base64.getEncoder().encodeToString(new byte[24]);
    ok("replay-local", file.toString(), "--target", url, "--secret", secret, "--limit", "1");
    Receiver.Request signed = receiver.await(3).get(2);
    assertThat(signed.header("webhook-id")).isEqualTo(id);
    Signable signable =
        new Signable(
            id, id, "push", Long.parseLong(signed.header("webhook-timestamp")), signed.body());
    assertThat(SignatureScheme.byDefault().headers(List.of(SigningKey.parse(secret)), signable))
        .filteredOn(header -> header.name().equals("webhook-signature"))
        .singleElement()
        .satisfies(
            header -> assertThat(signed.header("webhook-signature")).isEqualTo(header.value()));
    assertThat(receiver.count()).isEqualTo(3);

    Files.writeString(
        file,
        """
        {"eventType":"invoice.paid","payload":{"n":1}}
        {"eventType":"other","payload":{}}

        {"eventType":"invoice.sent","eventId":"e-1","payload":{}}
        nothing
        """);
    receiver.behave(
        request -> Receiver.Answer.of(request.header("webhook-id").equals("e-1") ? 500 : 200));
    Run cut =
        run(
            "replay-local",
            file.toString(),
            "--target",
            url,
            "--type",
            "invoice.*",
            "--limit",
            "2",
            "--json");
    assertThat(cut.code()).isEqualTo(ExitCode.FAILED);
    assertThat(cut.err()).contains("2 sent, 1 of them without a 2xx response");
    assertThat(cut.json())
        .extracting(line -> line.path("id").asString() + " " + line.path("answer").asString())
        .containsExactly("line-1 200", "e-1 500");
    Run bad = run("replay-local", file.toString(), "--target", url);
    assertThat(bad.code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(bad.err()).contains(file + ":5: this line is not a message", "3 messages before it");
    assertThat(run("replay-local", file.toString()).err()).contains("--target http://localhost");
    assertThat(run("replay-local", "nowhere.jsonl", "--target", url).code())
        .isEqualTo(ExitCode.USER_ERROR);
    receiver.close();
    assertThat(run("replay-local", file.toString(), "--target", url, "--limit", "1").out())
        .contains("-> no response (ConnectException)");
  }

  private void receive(String contentType, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/in/hooks"))
            .header("Content-Type", contentType)
            .header("X-GitHub-Event", "push")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThat(client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode())
          .isEqualTo(200);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Out of one server, into another application, and on to a local URL, all is as it came. */
  @Test
  void receivedMessagesKeepBytesTypeAndHeaders() throws IOException {
    apps.expect(app, 201, "POST", "/source", "{\"name\":\"hooks\",\"verify\":\"none\"}");
    Map<String, String> sent =
        Map.of(
            "{\"price\":1.10, \"n\":12345678901234567890.50, \"e\":1E2}",
            "application/json; charset=utf-8",
            "{\n  \"lines\": [1.0,\r\n 2.00]\n}",
            "application/json",
            "{\"specversion\":\"1.0\",\"type\":\"a.b\",\"source\":\"/s\",\"id\":\"1\","
                + " \"data\":{}}",
            "application/cloudevents+json",
            "a=1&b=%20x",
            "application/x-www-form-urlencoded");
    sent.forEach((body, type) -> receive(type, body));
    apps.await("none can come before them", () -> ok("export", "hooks").json().size() == 4);
    Path file = folder.resolve("hooks.jsonl");
    ok("export", "hooks", "--output", file.toString());
    assertThat(Files.readAllLines(file)).as("one message is one line").hasSize(4);
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Copy\",\"uid\":\"copy\"}");
    assertThat(ok("import", "copy", file.toString()).out()).contains("4 sent");
    for (String application : List.of("hooks", "copy")) {
      String path = "/" + application;
      ok("listen", application, "--to", receiver.url(path), "--limit", "4", "--since", "1h");
      Map<String, String> got = new HashMap<>();
      for (Receiver.Request one : receiver.await(4, request -> request.path().equals(path))) {
        got.put(one.text(), one.header("content-type"));
        assertThat(one.header("x-github-event")).as(application).isEqualTo("push");
        assertThat(one.header("webhook-id")).startsWith("msg_");
      }
      assertThat(got).as(application).isEqualTo(sent);
    }
  }

  /** What we ourselves know of a request cannot be claimed by a sender. */
  @Test
  void aSenderNamesHeadersAndNothingElse() {
    for (String header : List.of(":signature", "two words", "")) {
      apps.expect(
          app,
          422,
          "POST",
          "/app/acme/msg",
          "{\"eventType\":\"a.b\",\"payload\":{},\"transformationsParams\":{\"headers\":{\"%s\":\"valid\"}}}"
              .formatted(header));
    }
  }

  @Test
  void listenForwardsMessagesAlsoAfterAnOutageOfTheServer() {
    ok("send", "acme", "old.one");
    int port = app.port();
    CompletableFuture<Run> listening =
        CompletableFuture.supplyAsync(
            () ->
                run(
                    "listen",
                    "acme",
                    "--to",
                    receiver.url("/local"),
                    "--limit",
                    "2",
                    "--since",
                    "1h",
                    "--secret",
                    "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"),
            Thread::startVirtualThread);
    Receiver.Request old = receiver.await(1).getFirst();
    assertThat(old.header("webhook-signature")).startsWith("v1,");
    apps.stop(app);
    app = apps.start("PORT=" + port);
    ok("send", "acme", "new.one", "{\"n\":1}");
    Run run = listening.join();
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).contains("old.one  -> 200", "new.one  -> 200");
    assertThat(receiver.requests()).hasSize(2);
    assertThat(receiver.requests().get(1).text()).isEqualTo("{\"n\":1}");
  }

  @Test
  void tailShowsNewMessages() {
    ok("send", "acme", "before.it");
    CompletableFuture<Run> tail =
        CompletableFuture.supplyAsync(
            () -> run("tail", "acme", "--limit", "1", "--json"), Thread::startVirtualThread);
    // Sent until one is seen: the tail's start has no signal of its own.
    while (!tail.isDone()) {
      ok("send", "acme", "after.it");
    }
    assertThat(tail.join().json().getFirst().path("eventType").asString()).isEqualTo("after.it");
  }

  @Test
  void queuesAreListedPeekedRetriedAndDrained() {
    apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"audit\",\"maxAttempts\":1}");
    for (int n = 1; n <= 3; n++) {
      ok("send", "acme", "a.b", "{\"n\":" + n + "}");
    }
    assertThat(ok("queues", "list", "acme").out()).containsPattern("audit +3 +0 +0 +0 +all");
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    apps.expect(app, 201, "POST", "/app/other/queue", "{\"name\":\"work\"}");
    assertThat(ok("queues", "list").out())
        .containsPattern("acme +audit +3 +0 +0 +0 +all")
        .containsPattern("other +work +0 +0 +0 +0 +all");
    assertThat(ok("queues", "list", "--json").json()).hasSize(2);
    assertThat(run("queues", "peek").err()).contains("Give the application and the queue");
    assertThat(
            ok("queues", "list", "acme", "--json").json().getFirst().at("/depth/waiting").asInt())
        .isEqualTo(3);
    assertThat(ok("queues", "peek", "acme", "audit", "--limit", "2", "--json").json())
        .hasSize(2)
        .allMatch(item -> item.path("state").asString().equals("waiting"));
    assertThat(ok("queues", "peek", "acme", "audit").out()).contains("{\"n\":1}", "{\"n\":3}");

    String receipt =
        apps.expect(app, 200, "GET", "/app/acme/queue/audit/messages", "").text("/data/0/receipt");
    assertThat(ok("queues", "peek", "acme", "audit").out()).contains("in_flight");
    assertThat(ok("queues", "inspect", "acme", "audit").out())
        .containsPattern("name +audit")
        .containsPattern("depth +.\"waiting\":2,\"inFlight\":1");
    assertThat(ok("queues", "inspect", "acme", "audit", "--json").json()).hasSize(1);
    apps.expect(
        app, 200, "POST", "/app/acme/queue/audit/nack", "{\"receipts\":[\"" + receipt + "\"]}");
    assertThat(ok("queues", "dlq", "acme", "audit").out())
        .containsPattern("dlv_\\S+ +msg_\\S+ +1 ");
    assertThat(ok("queues", "dlq", "acme", "audit", "--json").json()).hasSize(1);
    assertThat(run("queues", "dlq", "acme").err()).contains("Give the queue");
    assertThat(ok("queues", "list", "acme").out()).containsPattern("audit +2 +0 +0 +1 +all");
    assertThat(ok("queues", "retry", "acme", "audit").out()).contains("1 are queued for retry");
    assertThat(ok("queues", "retry", "acme", "audit", "--json").out()).contains("{\"retried\":0}");

    assertThat(run("queues", "drain", "acme", "audit").err()).contains("--force");
    Run first = ok("queues", "drain", "acme", "audit", "--force", "--limit", "1");
    assertThat(first.json()).hasSize(1);
    Run rest = ok("queues", "drain", "acme", "audit", "--force");
    assertThat(rest.json()).hasSize(2);
    assertThat(rest.err()).contains("2 drained; 0 are leased by consumers, 0 delayed");
    assertThat(ok("queues", "peek", "acme", "audit", "--json").json()).isEmpty();

    assertThat(run("queues", "burn", "acme", "audit").code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("queues", "peek", "acme").code()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("queues", "peek", "acme", "nothing").code()).isEqualTo(ExitCode.FAILED);
    assertThat(ok("queues", "--help").out()).contains("Examples:", "Exit codes:");
  }

  @Test
  void pruneDeletesMessagesPastTheirRetention() {
    ok("send", "acme", "a.b");
    assertThat(ok("prune").out()).contains("deleted 0 messages");
    Id acme =
        Engines.applications(TestEngine.of(app.engine()))
            .find(Environment.DEFAULT_ID, "acme")
            .id()
            .value();
    TestEngine.of(app.engine())
        .database()
        .write(
            handle ->
                handle
                    .createUpdate(
                        "INSERT INTO messages (application_id, id, event_type) VALUES (:app, :id,"
                            + " 'a.b')")
                    .bind("app", acme)
                    .bind("id", Id.floorOf(1_500_000_000_000L))
                    .execute());

    JsonNode run = ok("prune", "--json").json().getFirst();

    assertThat(run.path("status").asString()).isEqualTo("idle");
    assertThat(run.at("/removed/messages").asInt()).isEqualTo(1);
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(1);
    assertThat(ok("prune", "--no-wait").out()).contains("prune run requested");
    assertThat(ok("prune", "--help").out()).contains("Examples:", "Exit codes:");
    String token = ok("keys", "create", "reader", "--role", "read_only").out().strip();
    assertThat(run("prune", "--key", token).err()).contains("does not have permission");
  }

  @Test
  void longTasksShowTheirProgress() throws IOException {
    receiver.behave(_ -> Receiver.Answer.of(500));
    endpoint("/bad", ",\"retryPolicy\":\"\"");
    apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"audit\",\"maxAttempts\":1}");
    String id = ok("send", "acme", "a.b", "{\"n\":1}").out().strip();
    apps.await("given up", () -> ok("dead-letters", "acme", "--json").json().size() == 1);
    apps.await("settled", () -> ok("export", "acme").json().size() == 1);
    Path file = folder.resolve("acme.jsonl");
    assertThat(watched("export", "acme", "--output", file.toString()).err())
        .contains("\r| messages: 0");
    assertThat(watched("export", "acme").err()).contains("\r| messages: 0");
    assertThat(watched("import", "acme", file.toString()).err()).contains("0% 0 of 1");
    assertThat(watched("dead-letters", "acme").err()).contains("\r| dead letters: 0");
    assertThat(watched("replay", "acme", id).err()).contains("\rqueued again [", "0% 0 of 1");
    Run recovered = watched("replay", "acme", "--endpoint", "main", "--since", "1h");
    assertThat(recovered.err()).contains("\r| queued again: 0");
    assertThat(recovered.out()).containsPattern("task [^ ]+ finished: [0-9]+ queued again");
    assertThat(watched("queues", "drain", "acme", "audit", "--force").err())
        .contains("\rmessages [");
    assertThat(watched("queues", "retry", "acme", "audit").err()).contains("dead letters: 0");
    assertThat(watched("export", "acme", "--json").err()).doesNotContain("\r");
  }

  @Test
  void keysAreMadeListedAndRevoked() {
    String token = ok("keys", "create", "billing", "--role", "read_only").out().strip();
    JsonNode key =
        ok("keys", "list", "--json").json().stream()
            .filter(one -> one.path("name").asString().equals("billing"))
            .findFirst()
            .orElseThrow();
    ok("keys", "create", "p", "--application", "acme", "--expires", "2099-01-31T12:00:00Z");
    assertThat(ok("keys", "list").out())
        .containsPattern("billing .*read_only +all +never ")
        .containsPattern(" p .*full +app_\\S+ +2099-01-31T12:00:00");
    assertThat(ok("events", "acme", "--key", token).code()).isZero();
    assertThat(run("send", "acme", "a.b", "--key", token).err())
        .contains("does not have permission");
    ok("keys", "revoke", key.path("id").asString());
    String environment = ok("environments", "create", "Staging").out().strip();
    assertThat(ok("environments", "list").out()).contains("env_default", environment, "Staging");
    String there = ok("keys", "create", "staging", "--environment", environment).out().strip();
    assertThat(ok("environments", "list", "--json").json()).hasSize(2);
    assertThat(run("environments", "list", "--key", there).code()).isEqualTo(ExitCode.FAILED);
    apps.await("revoked", () -> run("events", "acme", "--key", token).code() == ExitCode.FAILED);
  }

  @Test
  void doctorReportsItsFindings() {
    Run run = run("doctor", "--offline", "--json");
    assertThat(run.json())
        .extracting(one -> one.path("check").asString())
        .contains("java", "settings", "database", "disk");
    assertThat(run.json()).allSatisfy(one -> assertThat(one.path("text").asString()).isNotEmpty());
  }

  private List<String> verdicts(Map<String, String> environment) {
    return run(environment, "doctor", "--offline", "--json").json().stream()
        .map(one -> one.path("check").asString() + " " + one.path("verdict").asString())
        .toList();
  }

  @Test
  void doctorWarnsOfPublicMetrics() {
    Map<String, String> environment = new HashMap<>(apps.environment());
    assertThat(verdicts(environment)).contains("metrics ok");
    environment.put("POSTRIDER_HOST", "0.0.0.0");
    assertThat(verdicts(environment)).contains("metrics warning");
    assertThat(run(environment, "doctor", "--offline").out()).contains("POSTRIDER_METRICS_TOKEN");
    environment.put("POSTRIDER_METRICS_TOKEN", "scrape_0123456789");
    assertThat(verdicts(environment)).contains("metrics ok");
  }

  /** The server that answers may use another database than the one that is configured. */
  @Test
  void doctorOpensTheConfiguredDatabaseAndContinuesWithoutAVariable() throws IOException {
    Map<String, String> environment = new HashMap<>(apps.environment());
    environment.put("POSTRIDER_PORT", String.valueOf(app.port()));
    assertThat(verdicts(environment)).contains("settings ok", "database ok", "port ok");
    Path file = folder.resolve("doctor.yaml");
    Files.writeString(file, "sources: { github: { verify: github, secret: \"${NOT_SET}\" } }");
    environment.put("POSTRIDER_CONFIG", file.toString());
    assertThat(verdicts(environment)).contains("settings warning", "database ok", "port ok");
    assertThat(run(environment, "doctor", "--offline").out()).contains("NOT_SET");
    Files.writeString(
        file, "sources: { bus: { verify: aws-sns, options: { topics: x, skip_verify: true } } }");
    assertThat(verdicts(environment)).contains("sources warning");
    assertThat(run(environment, "doctor", "--offline").out()).contains("skip_verify");
    environment.remove("POSTRIDER_DATABASE_URL");
    Path broken = Files.createDirectory(folder.resolve("broken"));
    Files.writeString(broken.resolve("postrider.db"), "no database");
    environment.put("POSTRIDER_DATA_DIR", broken.toString());
    assertThat(verdicts(environment)).contains("database wrong", "port ok");
    environment.put("POSTRIDER_DATABASE_URL", "postgres://nobody:x@127.0.0.1:1/none");
    assertThat(verdicts(environment)).contains("database wrong", "port ok");
  }

  /** Who looks at messages need not have the secrets that the server was started with. */
  @Test
  void theServerIsFoundByTheFilesSettingsWithoutItsVariables() throws IOException {
    Path file = folder.resolve("postrider.yaml");
    Files.writeString(
        file,
        """
        settings: { port: %d }
        sources:
          github: { verify: github, secret: "${NOT_SET_HERE}" }
        """
            .formatted(app.port()));
    Map<String, String> environment =
        Map.of("POSTRIDER_CONFIG", file.toString(), "POSTRIDER_DATA_DIR", folder.toString());
    Run sent = run(environment, "send", "acme", "invoice.paid");
    assertThat(sent.code()).as(sent.err()).isZero();
    assertThat(run(environment, "events", "acme").out()).contains("invoice.paid");
    Run plan = run(environment, "plan");
    assertThat(plan.code()).isEqualTo(2);
    assertThat(plan.err()).contains("postrider.yaml:3").contains("NOT_SET_HERE is not set");

    Files.writeString(file, "settings: { prot: 1 }");
    Run wrong = run(environment, "events", "acme");
    assertThat(wrong.code()).isEqualTo(2);
    assertThat(wrong.err()).contains("Did you mean port?");
  }

  @Test
  void aFileThatIsNotThereIsNamedOnce() {
    String gone = folder.resolve("gone.jsonl").toString();
    for (String[] command :
        List.of(
            new String[] {"import", "acme", gone},
            new String[] {"send", "acme", "a", "--file", gone})) {
      Run run = run(command);
      assertThat(run.code()).isEqualTo(2);
      assertThat(run.err()).contains("File not found: " + gone + ".").containsOnlyOnce(gone);
    }
  }

  @Test
  void anUnreachableServerIsNamed() {
    Run run = run("events", "acme", "--server", "http://127.0.0.1:1");
    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err()).contains("No server responds at http://127.0.0.1:1. Start it with");
    assertThat(run("events", "acme", "--server", "nonsense").code()).isEqualTo(ExitCode.USER_ERROR);
  }
}
