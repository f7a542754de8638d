package dev.postrider.api.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.api.ApiFixture;
import dev.postrider.testkit.api.ApiFixture.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A null where none may be is refused and changes nothing: it is not the field's absence. */
final class ExplicitNullsTest {
  @TempDir Path folder;

  private Database database;
  private ApiFixture api;

  @BeforeEach
  void open() {
    database = Databases.sqlite(folder);
    api = new ApiFixture(database);
    api.call("POST", "/api/v1/app", "{\"name\":\"A\",\"uid\":\"acme\",\"metadata\":{\"a\":\"b\"}}");
    api.call(
        "POST",
        "/api/v1/app/acme/endpoint",
        """
        {"url":"https://example.com/","uid":"main","disabled":true,"paused":true,"description":"d",
         "metadata":{"a":"b"},"method":"PUT","ordering":"fifo","onDeadLetter":"pause"}
        """);
    api.call(
        "POST", "/api/v1/app/acme/endpoint", "{\"url\":\"https://example.com/\",\"uid\":\"on\"}");
    api.call(
        "POST", "/api/v1/event-type", "{\"name\":\"a\",\"description\":\"d\",\"deprecated\":true}");
  }

  @AfterEach
  void close() {
    api.close();
    database.close();
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/app/acme/endpoint/on/recover,since",
    "POST,/app/acme/endpoint/on/redrive,since",
    "POST,/app/acme/endpoint/on/replay-missing,since",
    "POST,/app/acme/endpoint/on/bulk-replay,since",
    "POST,/stats/usage/app,since",
    "POST,/stats/usage/app,until",
    "PATCH,/app/acme/endpoint/main,disabled",
    "PATCH,/app/acme/endpoint/main,description",
    "PATCH,/app/acme/endpoint/main,metadata",
    "PATCH,/app/acme/endpoint/main,url",
    "PATCH,/app/acme/endpoint/main,paused",
    "PATCH,/app/acme/endpoint/main,method",
    "PATCH,/app/acme/endpoint/main,ordering",
    "PATCH,/app/acme/endpoint/main,onDeadLetter",
    "PATCH,/app/acme/endpoint/main,useApplicationSecret",
    "PATCH,/app/acme,name",
    "PATCH,/app/acme,metadata",
    "PATCH,/app/acme,active",
    "PATCH,/event-type/a,description",
    "PATCH,/event-type/a,archived",
    "PATCH,/event-type/a,deprecated",
    "PATCH,/environment,name",
    "PATCH,/environment,strictEventTypes"
  })
  void isRefused(String method, String path, String field) {
    String target =
        path.substring(0, path.contains("/on/") ? path.lastIndexOf('/') : path.length());
    String before = shown(target);
    String more =
        path.startsWith("/stats") ? ",\"" + other(field) + "\":\"2026-01-01T00:00:00Z\"" : "";
    Answer answer = api.call(method, "/api/v1" + path, "{\"" + field + "\":null" + more + "}");
    assertThat(answer.status()).as(answer.json().toString()).isEqualTo(422);
    assertThat(answer.text("/detail/0/loc/1")).isEqualTo(field);
    assertThat(shown(target)).isEqualTo(before);
  }

  private static String other(String field) {
    return field.equals("since") ? "until" : "since";
  }

  private String shown(String path) {
    return path.startsWith("/stats")
        ? ""
        : api.call("GET", "/api/v1" + path, null).json().toString();
  }
}
