package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Json;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Apps.Answer;
import dev.postrider.testkit.Databases;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Calls of Svix's hosted service that its open server does not have. */
@Timeout(240)
class HostedCallsTest {
  private static final String ACME = "/app/acme";

  @TempDir Path folder;

  private static List<String> texts(Answer answer, String field) {
    return answer.json().get("data").valueStream().map(one -> one.get(field).asString()).toList();
  }

  @ParameterizedTest
  @EnumSource
  void anIntegrationActsForItsApplicationOnly(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
      for (String name : List.of("plain", "hidden")) {
        String flag = name.equals("hidden") ? ",\"featureFlag\":\"beta\"" : "";
        apps.expect(
            app,
            201,
            "POST",
            "/event-type",
            "{\"name\":\"%s\",\"description\":\"d\"%s}".formatted(name, flag));
      }
      String path =
          ACME
              + "/integration/"
              + apps.expect(app, 201, "POST", ACME + "/integration", "{\"name\":\"Zapper\"}")
                  .text("/id");
      String key = apps.expect(app, 200, "GET", path + "/key", "").text("/key");
      assertThat(key).startsWith("integsk_");

      String endpoint = "{\"uid\":\"e\",\"url\":\"%s\"}".formatted(app.echoUrl());
      assertThat(apps.callAs(app, key, "POST", ACME + "/endpoint", endpoint).status())
          .isEqualTo(201);
      assertThat(apps.callAs(app, key, "GET", "/app/other/endpoint", "").status()).isEqualTo(404);
      assertThat(apps.callAs(app, key, "GET", "/app", "").status()).isEqualTo(403);
      assertThat(apps.callAs(app, key, "GET", path + "/key", "").status()).isEqualTo(403);
      String types = ACME + "/event-type?include_environment=true";
      assertThat(texts(apps.callAs(app, key, "GET", types, ""), "name")).containsExactly("plain");
      assertThat(apps.expect(app, 200, "GET", "/auth/api-key", "").json().toString())
          .as("not among the API keys")
          .doesNotContain("Zapper");

      apps.expect(app, 200, "PUT", path, "{\"name\":\"Renamed\",\"featureFlags\":[\"beta\"]}");
      assertThat(texts(apps.expect(app, 200, "GET", ACME + "/integration", ""), "name"))
          .containsExactly("Renamed");
      apps.await(
          "the flags hold",
          () -> texts(apps.callAs(app, key, "GET", types, ""), "name").size() == 2);

      String rotated = apps.expect(app, 200, "POST", path + "/key/rotate", "").text("/key");
      assertThat(apps.callAs(app, key, "GET", ACME, "").status()).as("ended").isEqualTo(401);
      assertThat(apps.callAs(app, rotated, "GET", ACME, "").status()).isEqualTo(200);
      assertThat(texts(apps.callAs(app, rotated, "GET", types, ""), "name")).hasSize(2);
      apps.expect(app, 204, "POST", "/auth/app/acme/expire-all", "{}");
      assertThat(apps.callAs(app, rotated, "GET", ACME, "").status())
          .as("no portal's token")
          .isEqualTo(200);
      apps.expect(app, 204, "DELETE", path, "");
      assertThat(apps.callAs(app, rotated, "GET", ACME, "").status()).isEqualTo(401);
      apps.expect(app, 404, "GET", path, "");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aConsumerCommitsWhatItWasGiven(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      String filter = "{\"name\":\"q\",\"filter\":\"payload.n != 2\"}";
      apps.expect(app, 201, "POST", ACME + "/queue", filter);
      apps.expect(app, 201, "POST", ACME + "/queue", "{\"name\":\"other\"}");
      for (int n = 1; n <= 4; n++) {
        String body = "{\"eventType\":\"a\",\"payload\":{\"n\":%d}}".formatted(n);
        apps.expect(app, 202, "POST", ACME + "/msg", body);
      }
      String tokens = "/auth/app/acme/poller/q/token";
      apps.expect(app, 404, "GET", tokens, "");
      String token = apps.expect(app, 201, "POST", tokens + "/rotate", "{}").text("/token");
      assertThat(apps.expect(app, 200, "GET", tokens, "").text("/token")).isEqualTo(token);

      String poll = ACME + "/polling-endpoint/q/consumer/one";
      apps.await(
          "all are behind the horizon",
          () ->
              apps.callAs(app, token, "GET", ACME + "/poller/q", "").json().get("data").size()
                  == 3);
      Answer given = apps.callAs(app, token, "GET", poll + "?lease_duration_ms=0", "");
      assertThat(numbers(given)).as(given.json().toString()).containsExactly(1L, 2L, 3L);
      Answer again = apps.callAs(app, token, "GET", poll + "?lease_duration_ms=3600000", "");
      assertThat(again.json()).as("the same under the same numbers").isEqualTo(given.json());
      assertThat(numbers(apps.callAs(app, token, "GET", poll, ""))).as("leased").isEmpty();
      assertThat(commit(apps, app, token, poll, 9).status()).as("never given").isEqualTo(422);
      assertThat(commit(apps, app, token, poll, 2).status()).isEqualTo(204);
      assertThat(numbers(apps.callAs(app, token, "GET", poll, ""))).as("3 is out").isEmpty();
      assertThat(commit(apps, app, token, poll, 3).status()).isEqualTo(204);
      assertThat(commit(apps, app, token, poll, 1).status()).as("long done").isEqualTo(204);
      for (int n : List.of(2, 5)) {
        String body = "{\"eventType\":\"a\",\"payload\":{\"n\":%d}}".formatted(n);
        apps.expect(app, 202, "POST", ACME + "/msg", body);
      }
      List<Answer> next = new ArrayList<>();
      apps.await(
          "the next one",
          () -> {
            Answer answer = apps.callAs(app, token, "GET", poll, "");
            next.add(answer);
            return !numbers(answer).isEmpty();
          });
      assertThat(numbers(next.getLast())).containsExactly(4L);
      assertThat(next.getLast().json().at("/data/0/payload/n").asInt()).isEqualTo(5);

      assertThat(apps.callAs(app, token, "GET", ACME + "/queue/q/messages", "").status())
          .as("polling calls only")
          .isEqualTo(401);
      String elsewhere = ACME + "/polling-endpoint/other/consumer/one";
      assertThat(apps.callAs(app, token, "GET", elsewhere, "").status()).isEqualTo(404);
      String newer =
          apps.expect(app, 201, "POST", tokens + "/rotate", "{\"oldTokenExpiry\":0}")
              .text("/token");
      assertThat(apps.callAs(app, token, "GET", poll, "").status()).isEqualTo(401);
      assertThat(apps.callAs(app, newer, "GET", poll, "").status()).isEqualTo(200);
    }
  }

  private static List<Long> numbers(Answer answer) {
    return answer.json().get("data").valueStream().map(one -> one.get("offset").asLong()).toList();
  }

  private static Answer commit(Apps apps, App app, String token, String poll, long number) {
    return apps.callAs(app, token, "POST", poll + "/commit", "{\"offset\":" + number + "}");
  }

  @ParameterizedTest
  @EnumSource
  void attemptsAndEndpointsAreCounted(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Idle\",\"uid\":\"idle\"}");
      String url = "\"url\":\"%s\"".formatted(app.echoUrl());
      apps.expect(app, 201, "POST", ACME + "/endpoint", "{\"uid\":\"e\"," + url + "}");
      String disabled = "{\"uid\":\"off\",\"disabled\":true," + url + "}";
      apps.expect(app, 201, "POST", "/app/idle/endpoint", disabled);
      for (String type : List.of("a", "a", "b")) {
        String body = "{\"eventType\":\"%s\",\"payload\":{},\"tags\":[\"t-%s\"]}";
        apps.expect(app, 202, "POST", ACME + "/msg", body.formatted(type, type));
      }
      String count = ACME + "/attempt/endpoint/e/count";
      apps.await(
          "all are delivered", () -> apps.expect(app, 200, "GET", count, "").number("/count") == 3);
      assertThat(apps.expect(app, 200, "GET", count + "?event_types=a", "").json().toString())
          .isEqualTo("{\"count\":2,\"approximated\":false}");
      assertThat(apps.expect(app, 200, "GET", count + "?tag=t-b&status=0", "").number("/count"))
          .isEqualTo(1);
      assertThat(apps.expect(app, 200, "GET", count + "?status=2", "").number("/count")).isZero();

      String byType =
          ACME + "/stats/attempts?since=2020-01-01T00:00:00Z&until=2099-01-01T00:00:00Z";
      assertThat(apps.expect(app, 200, "GET", byType, "").json().at("/by_event_type").toString())
          .isEqualTo(
              "{\"a\":{\"success\":2,\"failure\":0,\"canceled\":0},"
                  + "\"b\":{\"success\":1,\"failure\":0,\"canceled\":0}}");
      Answer onlyB = apps.expect(app, 200, "GET", byType + "&event_types=b", "");
      assertThat(onlyB.number("/total_success")).isEqualTo(1);
      assertThat(onlyB.json().get("by_event_type")).hasSize(1);
      String past = byType.replace("2099", "2021");
      assertThat(apps.expect(app, 200, "GET", past, "").number("/total_success")).isZero();
      for (String bad :
          List.of(
              "",
              "?since=2020-01-01T00:00:00Z",
              "?since=x&until=y",
              "?since=2099-01-01T00:00:00Z&until=2098-01-01T00:00:00Z")) {
        apps.expect(app, 422, "GET", ACME + "/stats/attempts" + bad, "");
      }

      apps.await(
          "all are counted",
          () -> {
            Answer days = apps.expect(app, 200, "GET", "/stats/app/acme/attempt?period=OneDay", "");
            return days.json().at("/data/successCount/23").asLong() == 3;
          });
      assertThat(
              apps.expect(app, 200, "GET", "/stats/app/acme/attempt", "")
                  .json()
                  .at("/data/failureCount"))
          .hasSize(24);
      String old = "/stats/app/acme/attempt?period=FiveMinutes&startDate=2020-01-01T00:00:00Z";
      apps.expect(app, 422, "GET", old, "");
      apps.expect(app, 422, "GET", "/stats/app/acme/attempt?event_types=a", "");
      String ahead = "/stats/app/acme/attempt?period=OneDay&endDate=9999-12-31T23:59:59Z";
      assertThat(apps.expect(app, 200, "GET", ahead, "").text("/endDate"))
          .as("not ahead of time, and no year beyond four digits")
          .startsWith("20");
      assertThat(apps.expect(app, 200, "GET", "/stats/endpoint/count", "").json().toString())
          .isEqualTo("{\"active\":1,\"disabled\":1}");
      String active = "/app/stats/count-active";
      assertThat(apps.expect(app, 200, "GET", active, "").number("/count")).isEqualTo(1);
      assertThat(
              apps.expect(app, 200, "GET", active + "?exclude_disabled=false", "").number("/count"))
          .isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void exportedEventTypesCanBeImported(Databases.Kind kind) throws Exception {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      String type =
          """
          {"name":"invoice.paid","description":"Paid","groupName":"billing","featureFlags":["beta"],"deprecated":true,
           "schemas":{"1":{"type":"string"},"2":{"type":"object","required":["amount"]}}}
          """;
      apps.expect(app, 201, "POST", "/event-type", type);
      apps.expect(app, 201, "POST", "/event-type", "{\"name\":\"plain\",\"description\":\"d\"}");
      Answer begun = apps.expect(app, 202, "POST", "/event-type/export/openapi", "");
      Answer task = apps.expect(app, 200, "GET", "/background-task/" + begun.text("/id"), "");
      assertThat(task.text("/status")).isEqualTo("finished");
      assertThat(task.text("/task")).isEqualTo("sdk.generate");
      apps.expect(app, 204, "DELETE", "/event-type/invoice.paid?expunge=true", "");

      JsonNode document = archived(task.text("/data/schemaZip"));
      assertThat(document.at("/webhooks/plain/post/description").asString()).isEqualTo("d");
      apps.expect(app, 200, "POST", "/event-type/import/openapi", "{\"spec\":" + document + "}");
      Answer again = apps.expect(app, 200, "GET", "/event-type/invoice.paid", "");
      assertThat(again.json().at("/schemas").toString())
          .contains("{\"type\":\"object\",\"required\":[\"amount\"]}");
      assertThat(again.text("/groupName")).isEqualTo("billing");
      assertThat(again.text("/featureFlags/0")).isEqualTo("beta");
      assertThat(again.json().get("deprecated").asBoolean()).isTrue();
    }
  }

  private static JsonNode archived(String url) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Authorization", "Bearer " + Apps.KEY)
            .build();
    try (HttpClient client = HttpClient.newHttpClient();
        ZipInputStream zip =
            new ZipInputStream(
                new ByteArrayInputStream(
                    client.send(request, BodyHandlers.ofByteArray()).body()))) {
      assertThat(zip.getNextEntry().getName()).isEqualTo("openapi.json");
      return Json.MAPPER.readTree(new String(zip.readAllBytes(), StandardCharsets.UTF_8));
    }
  }
}
