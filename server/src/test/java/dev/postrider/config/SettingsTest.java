package dev.postrider.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsTest {
  @Test
  void theListHoldsEveryDeclaredSettingOnce() throws IllegalAccessException {
    List<Object> declared = new ArrayList<>();
    for (Class<?> table : List.of(ServerSettings.class, EngineSettings.class)) {
      for (Field field : table.getDeclaredFields()) {
        if (field.getType() == Setting.class) {
          assertThat(((Setting<?>) field.get(null)).name()).isEqualTo(field.getName());
          declared.add(field.get(null));
        }
      }
    }
    assertThat(Settings.all()).hasSizeGreaterThan(40).doesNotHaveDuplicates();
    assertThat(List.<Object>copyOf(Settings.all())).containsExactlyInAnyOrderElementsOf(declared);
  }

  @Test
  void theNamesThatOthersRelyOnExist() {
    assertThat(Settings.all().stream().map(Setting::variable))
        .contains(
            "POSTRIDER_PORT",
            "POSTRIDER_HOST",
            "POSTRIDER_DATA_DIR",
            "POSTRIDER_DATABASE_URL",
            "POSTRIDER_API_KEY",
            "POSTRIDER_JWT_SECRET",
            "POSTRIDER_MASTER_KEY",
            "POSTRIDER_MASTER_KEY_PREVIOUS",
            "POSTRIDER_MASTER_KEY_FILE",
            "POSTRIDER_ALLOW_TARGETS",
            "POSTRIDER_REQUIRE_HTTPS",
            "POSTRIDER_RETRY_SCHEDULE",
            "POSTRIDER_PUBLIC_URL",
            "POSTRIDER_TRUSTED_PROXIES",
            "POSTRIDER_DATABASE_SCHEMA");
    assertThat(ServerSettings.ALLOW_TARGETS.flag()).isEqualTo("--allow-targets");
  }

  @ParameterizedTest
  @MethodSource("dev.postrider.config.Settings#all")
  void defaultAndExampleAreValid(Setting<?> setting) {
    assertThatCode(() -> setting.parse(setting.defaultText())).doesNotThrowAnyException();
    if (!setting.example().startsWith("$(")) { // a shell command that makes one
      assertThatCode(() -> setting.parse(setting.example())).doesNotThrowAnyException();
    }
    assertThat(setting.description()).endsWith(".");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ROLE                       | boss             | must be one of api, worker, all.
          HOST                       | a b              | must be a host name or an IP address.
          PORT                       | -1               | must be a whole number from 0 to 65535.
          PORT                       | 80.5             | must be a whole number from 0 to 65535.
          PUBLIC_URL                 | hooks.example    | must be an http:// or https:// URL without query.
          PUBLIC_URL                 | ftp://x          | must be an http:// or https:// URL without query.
          PUBLIC_URL                 | https://x/?a=b   | must be an http:// or https:// URL without query.
          TRUSTED_PROXIES            | 10.0.0.0/33      | must be an IP address or CIDR
          MAX_BODY                   | 1TB              | must be a size from 1KB to 64MB.
          MAX_BODY                   | 65MB             | must be a size from 1KB to 64MB.
          SERVER_TIMEOUT             | 30               | must be a duration from 1s to 5m.
          MAX_CONNECTIONS            | 9                | must be a whole number from 10 to 1000000.
          DATABASE_URL               | mysql://h/d      | has the unknown scheme "mysql": it must be sqlite:path,
          DATABASE_SCHEMA            | pg_own           | does not begin with pg_.
          DATABASE_SCHEMA            | "Hooks"          | lower-case letters
          DATABASE_POOL_SIZE         | 1                | must be a whole number from 2 to 200.
          SQLITE_SYNCHRONOUS         | off              | must be one of full, normal.
          API_KEY                    | short            | must be 16 to 200 letters
          MASTER_KEY                 | c2hvcnQ=         | create one with openssl rand -base64 32.
          ALLOW_TARGETS              | localhost        | "localhost" must be an IP address or CIDR
          ALLOW_TARGETS              | 10.0.0.1/8       | write the first address of the range
          REQUIRE_HTTPS              | maybe            | must be true or false.
          ACCEPT_BATCH_ROWS          | 0                | must be a whole number from 1 to 10000.
          IDEMPOTENCY_WINDOW         | 1s               | must be a duration from 1m to 30d.
          RETRY_SCHEDULE             | 5s,,1m           | one of ms, s, m, h, d.
          RETRY_SCHEDULE             | 31d              | at most 50 durations up to 30d
          REQUEST_TIMEOUT            | 61s              | must be a duration from 1s to 1m.
          REQUEST_TIMEOUT            | 999ms            | must be a duration from 1s to 1m.
          MAX_RESPONSE               | 2MB              | must be a size from 0B to 1MB.
          EGRESS_PROXY               | socks://p:1      | must be a URL of the form http://
          EGRESS_NO_PROXY            | 10.0.0.0/40      | must be
          EGRESS_NO_PROXY            | *.internal       | must be a host
          EGRESS_PROXY               | http://proxy     | must be a URL of the form http://
          USER_AGENT                 | Größe            | printable ASCII
          SIGNATURE_HEADERS          | none             | must be one of webhook, svix, both.
          DEFAULT_SIGNATURE          | rsa              | must be one of hmac256, ed25519.
          DISABLE_AFTER              | never            | or off.
          HEARTBEAT                  | 1ms              | must be a duration from 100ms to 1m.
          RETENTION_DELIVERED        | 90m              | must be a number of hours or days
          RETENTION_TIME             | 25:00            | must be a time of day in UTC
          RETENTION_TIME             | 3:00             | must be a time of day in UTC
          LOG_LEVEL                  | loud             | must be one of debug, info, warn, error, off.
          LOG_FORMAT                 | xml              | must be one of text, json.
          """)
  void badTextIsRefusedWithTheKeyAndTheFix(String name, String text, String message) {
    String variable = "POSTRIDER_" + name;
    assertThatThrownBy(() -> Config.of(Map.of(variable, text)))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(variable + " (--")
        .hasMessageContaining(message)
        .hasMessageContaining("Example: " + variable + "=");
  }

  @Test
  void theDocumentIsTheOneThatTheTableGenerates() throws IOException {
    Path document = repository().resolve("docs/reference/configuration.md");
    assertThat(document)
        .as("regenerate it: ./postrider help config --markdown > docs/reference/configuration.md")
        .hasContent(SettingsText.asMarkdown());
    assertThat(Files.readString(document)).contains("| `POSTRIDER_PORT` | `--port` | `8080` |");
  }

  @Test
  void theTerminalTextNamesEverySettingOnce() {
    String text = SettingsText.forTerminal();
    for (Setting<?> setting : Settings.all()) {
      assertThat(text).containsOnlyOnce("  " + setting.variable() + ", " + setting.flag() + "\n");
    }
  }

  /** Tests run in the module's folder or, from an editor, in the repository's. */
  private static Path repository() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("server")) ? here : here.resolveSibling(".").normalize();
  }
}
