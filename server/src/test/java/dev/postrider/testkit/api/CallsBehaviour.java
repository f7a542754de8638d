package dev.postrider.testkit.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.api.ApiFixture.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Calls to a server on a fresh database. */
public abstract class CallsBehaviour {
  @TempDir protected Path folder;

  protected Database database;
  protected ApiFixture api;

  @Parameter protected Databases.Kind kind;

  @BeforeEach
  protected final void openServer() {
    database = kind.open(folder);
    api = new ApiFixture(database);
  }

  @AfterEach
  protected final void closeServer() {
    api.close();
    database.close();
  }

  /** A call with the first key that has to end with that status. */
  protected final Answer expect(int status, String method, String path, String body) {
    return as(api.token, status, method, path, body);
  }

  /** A call with that token. */
  protected final Answer as(String token, int status, String method, String path, String body) {
    Answer answer = api.callAs(token, method, path, body.isEmpty() ? null : body);
    assertThat(answer.status()).as(method + " " + path + " " + answer.json()).isEqualTo(status);
    return answer;
  }
}
