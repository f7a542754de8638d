package dev.postrider.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ApiServer;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Idempotency keys of calls other than sends, on both databases. */
@OnEachDatabase
final class IdempotentCallsTest extends CallsBehaviour {
  private static final String KEY = "idempotency-key";
  private static final String APPS = "/api/v1/app";
  private static final String ACME = "{\"name\":\"Acme\"}";

  private Answer post(int status, String path, String body, String key) {
    Answer answer = api.call("POST", path, body, KEY, key);
    assertThat(answer.status()).as(path + " " + answer.json()).isEqualTo(status);
    return answer;
  }

  private int applications() {
    return api.call("GET", APPS, null).json().get("data").size();
  }

  @Test
  void theSameKeyAndBodyGetTheFirstAnswer() {
    Answer first = post(201, APPS, ACME, "k1");
    assertThat(first.response().headers().firstValue("idempotent-replayed")).isEmpty();
    Answer second = post(201, APPS + "/", ACME, "k1");
    assertThat(second.json()).isEqualTo(first.json());
    assertThat(second.response().headers().firstValue("idempotent-replayed")).contains("true");
    assertThat(applications()).isEqualTo(1);
    assertThat(post(201, APPS, ACME, "k2").text("/id")).isNotEqualTo(first.text("/id"));
    assertThat(post(409, APPS, "{\"name\":\"Other\"}", "k1").text("/detail")).contains("new key");
    post(409, APPS + "?get_if_exists=true", ACME, "k1");
    assertThat(applications()).isEqualTo(2);
    post(422, APPS, ACME, "k".repeat(300));
    String rotate = APPS + "/" + first.text("/id") + "/endpoint/e/secret/rotate";
    post(
        201,
        APPS + "/" + first.text("/id") + "/endpoint",
        "{\"uid\":\"e\",\"url\":\"https://example.com/\"}",
        "k1");
    assertThat(post(204, rotate, "{}", "k1").response().body()).isEmpty();
    String secret = api.call("GET", rotate.replace("/rotate", ""), null).text("/key");
    post(204, rotate, "{}", "k1");
    assertThat(api.call("GET", rotate.replace("/rotate", ""), null).text("/key")).isEqualTo(secret);
  }

  @Test
  void anErrorIsNotKept() {
    post(422, APPS, "{\"name\":\"\"}", "k");
    post(201, APPS, ACME, "k");
    assertThat(applications()).isEqualTo(1);
  }

  @Test
  void aSecretInAnAnswerIsKeptSealed() {
    Answer first = post(201, "/api/v1/auth/api-key", "{\"name\":\"n\"}", "k");
    Answer second = post(201, "/api/v1/auth/api-key", "{\"name\":\"n\"}", "k");
    assertThat(second.text("/token")).isNotEmpty().isEqualTo(first.text("/token"));
    byte[] sealed =
        database.read(
            handle ->
                handle.createQuery("SELECT sealed FROM call_answers").mapTo(byte[].class).one());
    assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("token", "name");
  }

  @Test
  void aKeyCountsWithinItsCallersReach() {
    String app = post(201, APPS, "{\"name\":\"A\",\"uid\":\"a\"}", "k").text("/id");
    post(201, APPS, "{\"name\":\"B\",\"uid\":\"b\"}", "k2");
    String path = APPS + "/a/endpoint";
    String body = "{\"url\":\"https://example.com/\"}";
    String first = post(201, path, body, "k").text("/id");
    String own = api.key(api.stores.application("a").id().value(), Role.FULL);
    String foreign = api.key(api.stores.application("b").id().value(), Role.FULL);
    Answer byOwn = api.call(own, "POST", path, BodyPublishers.ofString(body), KEY, "k");
    assertThat(byOwn.status()).isEqualTo(201);
    assertThat(byOwn.text("/id")).isNotEqualTo(first);
    assertThat(api.call(foreign, "POST", path, BodyPublishers.ofString(body), KEY, "k").status())
        .isEqualTo(404);
    assertThat(app).startsWith("app_");
  }

  @Test
  void afterItsWindowAKeyIsFree() {
    Answer first = post(201, APPS, ACME, "k");
    sql("UPDATE call_answers SET expires_at = 1");
    assertThat(post(201, APPS, ACME, "k").text("/id")).isNotEqualTo(first.text("/id"));
  }

  private void sql(String statement) {
    assertThat(database.<Integer>write(handle -> handle.execute(statement))).isEqualTo(1);
  }

  @Test
  void theCallOfADeadProcessIsNotRepeated() {
    post(201, APPS, ACME, "k");
    sql("UPDATE call_answers SET state = 1, sealed = NULL, started_at = 1");
    assertThat(post(409, APPS, ACME, "k").text("/detail")).contains("was processed");
    assertThat(applications()).isEqualTo(1);
    sql("UPDATE call_answers SET state = 0");
    post(201, APPS, ACME, "k");
    assertThat(applications()).as("nothing had been written, so it was done").isEqualTo(2);
  }

  @Test
  void twoServersMakeOneThingOfManyRequests() throws Exception {
    try (ApiServer other = api.server(database, Duration.ofSeconds(30));
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      other.start();
      List<Callable<String>> calls = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        int port = i % 2 == 0 ? api.server.port() : other.port();
        calls.add(
            () -> {
              HttpRequest request =
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + APPS))
                      .header("Authorization", "Bearer " + api.token)
                      .header(KEY, "k")
                      .POST(BodyPublishers.ofString(ACME))
                      .build();
              var answer = api.client.send(request, BodyHandlers.ofString());
              return answer.statusCode() + answer.body();
            });
      }
      List<String> answers = new ArrayList<>();
      for (Future<String> answer : callers.invokeAll(calls)) {
        answers.add(answer.get());
      }
      assertThat(answers).allMatch(answer -> answer.startsWith("201"));
      assertThat(answers.stream().distinct()).hasSize(1);
    }
    assertThat(applications()).isEqualTo(1);
  }
}
