package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ApiFixture.Answer;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Calls to a server on a fresh database. */
abstract class CallsBehaviour {
  @TempDir Path folder;

  Database database;
  ApiFixture api;

  @Parameter Databases.Kind kind;

  @BeforeEach
  final void openServer() {
    database = kind.open(folder);
    api = new ApiFixture(database);
  }

  @AfterEach
  final void closeServer() {
    api.close();
    database.close();
  }

  /** A call with the first key that has to end with that status. */
  final Answer expect(int status, String method, String path, String body) {
    return as(api.token, status, method, path, body);
  }

  /** A call with that token. */
  final Answer as(String token, int status, String method, String path, String body) {
    Answer answer = api.callAs(token, method, path, body.isEmpty() ? null : body);
    assertThat(answer.status()).as(method + " " + path + " " + answer.json()).isEqualTo(status);
    return answer;
  }
}
