package dev.postrider.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.options.Secret;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseUrlsTest {
  @ParameterizedTest
  @CsvSource({
    "sqlite:hooks.db, hooks.db",
    "sqlite:./a/hooks.db, ./a/hooks.db",
    "sqlite:/var/hooks.db, /var/hooks.db",
    "sqlite:///var/hooks.db, /var/hooks.db",
    "SQLITE:hooks.db, hooks.db",
  })
  void sqlite(String text, String path) {
    assertThat(DatabaseUrls.parse(text, "s")).isEqualTo(new DatabaseUrl.Sqlite(Path.of(path)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          postgres://ann:pw@db/hooks                          | //db/hooks                                   | ann | pw
          postgresql://ann:pw@db:5433/hooks                   | //db:5433/hooks                              | ann | pw
          postgres://ann@db/hooks                             | //db/hooks                                   | ann | ''
          postgres://a%40b:p%2Fw%3A+%25@db/hooks              | //db/hooks                                   | a@b | p/w:+%
          postgres://ann:p@w@db/hooks                         | //db/hooks                                   | ann | p@w
          postgres://ann:p:w@db/hooks                         | //db/hooks                                   | ann | p:w
          postgres://ann:pw@[::1]:5432/hooks                  | //[::1]:5432/hooks                           | ann | pw
          postgres://ann:pw@a:1,b:2/hooks                     | //a:1,b:2/hooks                              | ann | pw
          postgres://ann:pw@/hooks                            | //localhost/hooks                            | ann | pw
          postgres://ann:pw@db/my%20hooks                     | //db/my%20hooks                              | ann | pw
          postgres://ann:pw@db/hooks?sslmode=require          | //db/hooks?sslmode=require                   | ann | pw
          postgres://db/hooks?user=ann&password=p%26w&ssl=true| //db/hooks?ssl=true                          | ann | p&w
          postgres://ann:pw@db/hooks?connect_timeout=3        | //db/hooks?connectTimeout=3                  | ann | pw
          postgres://ann:pw@db/h?target_session_attrs=read-write | //db/h?targetServerType=primary           | ann | pw
          jdbc:postgresql://db:5433/hooks?user=ann&password=pw| //db:5433/hooks                              | ann | pw
          jdbc:postgresql:hooks?user=ann&password=pw          | //localhost/hooks                            | ann | pw
          """)
  void postgres(String text, String url, String user, String password) {
    assertThat(DatabaseUrls.parse(text, "hooks"))
        .isEqualTo(
            new DatabaseUrl.Postgres(
                "jdbc:postgresql:" + url, user, new Secret(password), "hooks"));
  }

  @Test
  void withoutAUserItIsTheOneThatRunsTheProcess() {
    assertThat(((DatabaseUrl.Postgres) DatabaseUrls.parse("postgres://db/hooks", "s")).user())
        .isEqualTo(System.getProperty("user.name"));
  }

  @Test
  void thePasswordIsNotInTheTextOfTheAddress() {
    assertThat(DatabaseUrls.parse("postgres://ann:hunter2@db/hooks", "s").toString())
        .isEqualTo("jdbc:postgresql://db/hooks as ann, schema s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          hooks.db                       | has no scheme: it must be sqlite:path
          mysql://h/d                    | has the unknown scheme "mysql"
          jdbc:mysql://h/d               | needs a JDBC driver that is not installed
          sqlite:                        | has no file path
          sqlite:folder/                 | has no file path
          sqlite://hooks.db              | has two slashes
          sqlite::memory:                | must be a database file
          sqlite:a.db?mode=ro            | must be a database file
          postgres:hooks                 | needs two slashes
          postgres://ann:pw@db           | has no database name
          postgres://ann:pw@db/          | has no database name
          postgres://ann:a/b@db/hooks    | percent-encode /
          postgres://ann:pw@db:port/h    | has no valid host and port
          postgres://ann:p%zz@db/h       | write %25 for a percent sign
          postgres://ann:pw@db/h?sslmode | has an option without a value
          postgres://db/h?target_session_attrs=standby | must be a writable database
          """)
  void mistakesAreExplained(String text, String message) {
    assertThatThrownBy(() -> DatabaseUrls.parse(text, "s"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
