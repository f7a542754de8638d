package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.spec.ExitCode;
import dev.postrider.config.Config;
import dev.postrider.options.MasterKeySource;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CliTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Map<String, String> environment = new HashMap<>();
  private final List<Config> served = new ArrayList<>();
  private final List<Config> warmedUp = new ArrayList<>();

  @Test
  void serveRunsTheActionWithFlagsOverVariables() {
    environment.put("POSTRIDER_PORT", "1");
    environment.put("POSTRIDER_HOST", "0.0.0.0");
    environment.put("SOMEBODY_ELSES", "x");
    assertThat(run("serve", "--port=2", "--role", "all")).isEqualTo(7);
    assertThat(served).hasSize(1);
    assertThat(served.getFirst().server().port()).isEqualTo(2);
    assertThat(served.getFirst().server().host()).isEqualTo("0.0.0.0");
  }

  @Test
  void aSwitchNeedsNoValue() {
    environment.put("POSTRIDER_REQUIRE_HTTPS", "false");
    run("serve");
    run("serve", "--require-https");
    run("serve", "--require-https=false", "--port", "1");
    assertThat(served.stream().map(config -> config.security().requireHttps()))
        .containsExactly(false, true, false);
  }

  @Test
  void badSettingsEndWithTwoAndNoStackTrace() {
    assertThat(run("serve", "--port", "abc", "--log-level", "loud")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(served).isEmpty();
    assertThat(err.toString().lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("postrider: POSTRIDER_"))
        .first()
        .asString()
        .contains("(--port) is \"abc\": must be a whole number");
  }

  @Test
  void verboseShowsTheStackTrace() {
    assertThat(run("serve", "--port", "abc", "--verbose")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("\tat dev.postrider.");
  }

  @Test
  void errorsAreJsonWhenAsked() {
    assertThat(run("--json", "serve", "--port", "abc")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(json(err).get("errors").get(0).asString()).contains("POSTRIDER_PORT");
  }

  @Test
  void unknownFlagsAndCommandsGetASuggestion() {
    assertThat(run("serve", "--prot=3")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("srve")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("serve", "--port")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("version", "s3cret")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString().lines())
        .containsExactly(
            "postrider: Unknown flag --prot. Did you mean --port? See: postrider serve --help",
            "postrider: Unknown command srve. Did you mean serve? See: postrider --help",
            "postrider: Missing required parameter for option '--port' (VALUE). See: postrider"
                + " serve --help",
            "postrider: Unexpected argument. See: postrider version --help");
  }

  @Test
  void unknownVariablesAreRefused() {
    environment.put("POSTRIDER_RETRY_SHEDULE", "1s");
    assertThat(run("serve")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("Did you mean POSTRIDER_RETRY_SCHEDULE?");
  }

  @Test
  void withoutACommandTheHelpIsAnError() {
    assertThat(run()).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("Usage: postrider", "Examples:").doesNotContain("warm-up");
    assertThat(run("--help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).isEqualTo(err.toString());
  }

  @Test
  void everyCommandExplainsItselfInBothWays() {
    for (String command : List.of("serve", "version", "help")) {
      out.getBuffer().setLength(0);
      assertThat(run(command, "--help")).isEqualTo(ExitCode.OK);
      String help = out.toString();
      assertThat(help).contains("Usage: postrider " + command, "Examples:", "--json");
      out.getBuffer().setLength(0);
      assertThat(run("help", command)).isEqualTo(ExitCode.OK);
      assertThat(out.toString()).isEqualTo(help);
    }
    assertThat(run("help", "serv")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("Did you mean serve?");
  }

  @Test
  void helpConfigListsTheSettings() {
    assertThat(run("help", "config")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("POSTRIDER_PORT, --port\n", "Default: 8080");
  }

  @Test
  void helpConfigPrintsJson() {
    assertThat(run("help", "config", "--json")).isEqualTo(ExitCode.OK);
    JsonNode port = json(out).get(2);
    assertThat(port.get("variable").asString()).isEqualTo("POSTRIDER_PORT");
    assertThat(port.get("default").asString()).isEqualTo("8080");
  }

  @Test
  void versionAsTextAndJson() {
    assertThat(run("version")).isEqualTo(ExitCode.OK);
    assertThat(run("--version")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).startsWith("postrider ").contains("(Java 2");
    out.getBuffer().setLength(0);
    assertThat(run("version", "--json")).isEqualTo(ExitCode.OK);
    assertThat(json(out).get("java").asString()).startsWith("2");
  }

  @Test
  void aWarmUpTouchesNoSettingsOfTheUserAndLeavesNothing() {
    environment.put("POSTRIDER_DATA_DIR", "/precious");
    environment.put("POSTRIDER_DATABASE_URL", "postgres://u:p@production/db");
    assertThat(run("warm-up")).isEqualTo(ExitCode.OK);
    Config config = warmedUp.getFirst();
    assertThat(config.server().port()).isZero();
    assertThat(config.storage().database().toString()).startsWith("sqlite:");
    assertThat(config.security().masterKey()).isInstanceOf(MasterKeySource.Generated.class);
    Path folder = config.storage().dataDir();
    assertThat(folder).isNotEqualTo(Path.of("/precious")).doesNotExist();
  }

  @Test
  void aWarmUpAlsoRunsInASchemaOfItsOwnOnTheDatabaseForTraining() {
    environment.put("POSTRIDER_TRAINING_DATABASE_URL", "postgres://u:p@training/db");
    assertThat(run("warm-up")).isEqualTo(ExitCode.OK);
    assertThat(warmedUp).hasSize(2);
    assertThat(warmedUp.getFirst().storage().database().toString()).startsWith("sqlite:");
    assertThat(warmedUp.getLast().storage().database().toString())
        .matches("jdbc:postgresql://training/db as u, schema training_[0-9a-f]{32}");
  }

  @Test
  void aFaultOfOursEndsWithOne() {
    Cli.Actions broken =
        new Cli.Actions(
            config -> {
              throw new IllegalStateException("boom");
            },
            config -> 0);
    int code =
        new Cli(broken, environment, new PrintWriter(out), new PrintWriter(err)).run("serve");
    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("boom", "--verbose").doesNotContain("\tat ");
  }

  private int run(String... arguments) {
    Cli.Actions actions =
        new Cli.Actions(
            config -> {
              served.add(config);
              return 7;
            },
            config -> {
              warmedUp.add(config);
              assertThat(Files.isDirectory(config.storage().dataDir())).isTrue();
              return ExitCode.OK;
            });
    return new Cli(actions, environment, new PrintWriter(out), new PrintWriter(err)).run(arguments);
  }

  private static JsonNode json(StringWriter text) {
    return JsonMapper.builder().build().readTree(text.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "send",
        "send acme",
        "events",
        "inspect acme",
        "tail",
        "listen",
        "export",
        "replay",
        "import",
        "import acme",
        "queues",
        "environments"
      })
  void aMissingArgumentIsAWrongUse(String line) {
    assertThat(run(line.split(" "))).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString())
        .contains("Missing required parameter", "See: postrider " + line.split(" ")[0] + " --help");
  }

  @Test
  void anEmptyArgumentIsAMissingOne() {
    assertThat(run("send", "", "invoice.paid")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("Missing required parameter: 'APPLICATION' is empty");
  }
}
