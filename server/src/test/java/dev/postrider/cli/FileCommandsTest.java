package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.command.InitCommand;
import dev.postrider.cli.option.FileSettings;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.config.Config;
import dev.postrider.configfile.ConfigurationFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code init} and {@code validate}. */
class FileCommandsTest {
  static final Iterable<String> TEMPLATES = InitCommand.TEMPLATES;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Map<String, String> environment = new HashMap<>();
  @TempDir Path folder;

  private int run(String... arguments) {
    Cli.Actions actions = new Cli.Actions(_ -> 7, _ -> 8);
    return new Cli(actions, environment, new PrintWriter(out), new PrintWriter(err)).run(arguments);
  }

  @ParameterizedTest
  @FieldSource("TEMPLATES")
  void everyTemplateIsWrittenAndIsGood(String template) throws IOException {
    Path file = folder.resolve("postrider.yaml");
    assertThat(run("init", "--template", template, "--config", file.toString())).isZero();
    Pattern.compile("\\$\\{([A-Z_]+)}")
        .matcher(Files.readString(file))
        .results()
        .forEach(found -> environment.put(found.group(1), "s3cret"));
    assertThat(run("validate", "--config", file.toString())).as(err.toString()).isZero();
    assertThat(out.toString()).contains("is valid: ");
  }

  @Test
  void aFileThatIsThereStaysAsItIs() throws IOException {
    Path file = Files.writeString(folder.resolve("postrider.yaml"), "mine");
    assertThat(run("init", "--config", file.toString())).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("already exists and was not changed");
    assertThat(Files.readString(file)).isEqualTo("mine");
    assertThat(run("init", "--template", "gitub")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("Did you mean github?");
  }

  @Test
  void theFileIsFoundByFlagThenVariable() throws IOException {
    Path good = Files.writeString(folder.resolve("good.yaml"), "applications: { acme: {} }");
    Path bad = Files.writeString(folder.resolve("bad.yaml"), "applicatons: {}");
    environment.put("POSTRIDER_CONFIG", bad.toString());
    assertThat(run("validate")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString())
        .contains(
            "postrider: " + bad + ":1:1: applicatons: is unknown. Did you mean applications?");
    assertThat(run("validate", "--json", "--config", good.toString())).isZero();
    assertThat(out.toString().strip())
        .contains("\"valid\":true")
        .contains("\"sections\":{\"applications\":1}");
    environment.put("POSTRIDER_CONFIG", folder.resolve("none.yaml").toString());
    assertThat(run("validate")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("Create it with postrider init");
  }

  private static final String URLS =
      """
      applications: { acme: {} }
      endpoints:
        plain: { application: acme, url: http://example.com/hook }
        own:
          application: acme
          url: https://10.0.0.1/hook
        here: { application: acme, url: https://localhost/hook }
        broken: { application: acme, url: ftp://example.com }
        good: { application: acme, url: https://example.com }
        echo: { application: acme, url: http://127.0.0.1:8080/echo }
      alerts:
        ops: { url: "http://[::1]/" }
      sources: { github: { verify: github, secret: s } }
      routes:
        - { source: github, event: a, agent_intent: b, url: https://10.0.0.1/agent }
      """;

  /** What a server with these settings would refuse, together with everything else. */
  @Test
  void urlsThatAServerRefusesAreRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("urls.yaml"), URLS);
    assertThat(run("validate", "--config", file.toString())).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString().lines().map(line -> line.replace("postrider: " + file + ":", "")))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("3:36: endpoints.plain.url: the URL must start"),
            line -> assertThat(line).startsWith("6:10: endpoints.own.url: 10.0.0.1 is not a pub"),
            line -> assertThat(line).startsWith("7:35: endpoints.here.url: localhost does not"),
            line -> assertThat(line).startsWith("8:37: endpoints.broken.url: must be an http"),
            line -> assertThat(line).startsWith("12:15: alerts.ops.url: the URL must start"),
            line -> assertThat(line).startsWith("15:55: routes[0].url: 10.0.0.1 is not a public"));
    Files.writeString(
        file,
        URLS.replaceAll(" *broken.*\n", "")
            + "settings: { allow_targets: [10.0.0.0/8, 127.0.0.1, \"::1\"], require_https: false"
            + " }");
    assertThat(run("validate", "--config", file.toString())).as(err.toString()).isZero();
  }

  @Test
  void settingsThatAServerRefusesAreRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("a.yaml"), "settings: { tls_cert: x.pem }");
    environment.put("POSTRIDER_PORT", "none");
    assertThat(run("validate", "--config", file.toString())).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains(file + ":1:11: POSTRIDER_PORT");
  }

  @Test
  void aSourceWithoutVerificationIsReportedButNoError() throws IOException {
    Path file =
        Files.writeString(folder.resolve("open.yaml"), "sources: { open: { verify: none } }");
    assertThat(run("validate", "--config", file.toString())).isZero();
    assertThat(err.toString())
        .contains(
            "postrider: warning: "
                + file
                + ":1:28: sources.open.verify: none: requests are not verified");
    assertThat(out.toString()).contains("is valid: sources 1");
    err.getBuffer().setLength(0);
    out.getBuffer().setLength(0);
    assertThat(run("validate", "--json", "--config", file.toString())).isZero();
    assertThat(out.toString()).contains("\"warnings\":[\"" + file + ":1:28: sources.open.verify");
    assertThat(err.toString()).isEmpty();
  }

  private static final String NEEDS =
      """
      settings: { port: "${PORT}" }
      sources:
        github: { verify: github, secret: "${GITHUB_SECRET}" }
      handlers:
        build:
          source: github
          url: ${BUILD_URL}
          timeout: ${TIMEOUT}
          description: "${WHO:-nobody}"
      """;

  @Test
  void variablesThatAreNotSetAreNamedAndNoErrors() throws IOException {
    Path file = Files.writeString(folder.resolve("needs.yaml"), NEEDS);
    assertThat(run("validate", "--config", file.toString())).as(err.toString()).isZero();
    assertThat(err.toString().lines().map(line -> line.replace("postrider: warning: ", "")))
        .satisfiesExactly(
            line -> assertThat(line).startsWith(file + ":1:19: settings.port: the environment"),
            line -> assertThat(line).startsWith(file + ":3:37: sources.github.secret: the env"),
            line -> assertThat(line).startsWith(file + ":7:10: handlers.build.url: the env"),
            line -> assertThat(line).startsWith(file + ":8:14: handlers.build.timeout: the env"));
    assertThat(out.toString()).contains("is valid: settings 0, sources 1, handlers 1");
    assertThat(run("validate", "--json", "--config", file.toString())).isZero();
    assertThat(out.toString()).contains("\"unset\":[\"" + file + ":1:19: settings.port");
    assertThat(run("validate", "--strict", "--config", file.toString()))
        .isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("doctor", "--offline", "--json", "--config", file.toString()))
        .isNotEqualTo(ExitCode.USER_ERROR);
    assertThat(out.toString().lines())
        .filteredOn(line -> line.contains("the environment variable"))
        .filteredOn(line -> line.startsWith("{\"check\":\"settings\",\"verdict\":\"warning\""))
        .hasSize(4);

    Files.writeString(file, NEEDS.replace("verify: github", "verify: gitub"));
    err.getBuffer().setLength(0);
    assertThat(run("validate", "--config", file.toString())).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("Did you mean github?").doesNotContain("TIMEOUT");
  }

  @Test
  void variablesComeFromTheFileOfTheOverlay() throws IOException {
    Path file = Files.writeString(folder.resolve("postrider.yaml"), NEEDS);
    Files.writeString(folder.resolve("postrider.staging.yaml"), "");
    Path variables =
        Files.writeString(
            folder.resolve(".env.staging"),
            """
            # of staging
            PORT = 9091
            export GITHUB_SECRET='"a b"'

            BUILD_URL="https://build.example.com"
            TIMEOUT=nonsense
            """);
    environment.put("TIMEOUT", "5s");
    assertThat(run("validate", "--strict", "--config", file.toString(), "--env", "staging"))
        .as(err.toString())
        .isZero();
    Config config =
        FileSettings.config(environment, Map.of("--config", file.toString(), "--env", "staging"));
    assertThat(config.server().port()).isEqualTo(9091);
    ConfigurationFile read = ConfigurationFile.read(file, "staging", environment);
    assertThat(read.toJson())
        .contains("\"secret\":[\"\\\"a b\\\"\"]")
        .contains("https://build.example.com")
        .contains("5s");

    Files.writeString(variables, "PORT=1\nGITHUB_SECRET hunter2\n");
    assertThat(run("validate", "--config", file.toString(), "--env", "staging"))
        .isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains(variables + ":2:1: is not a variable; write NAME=value");
    assertThat(err.toString()).doesNotContain("hunter2");
    assertThat(run("validate", "--config", file.toString(), "--env", "../x"))
        .isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("the overlay \"../x\"");
  }

  @Test
  void everyCommandShowsAnExampleAndItsExitCodes() {
    for (String command :
        List.of(
            "init",
            "validate",
            "plan",
            "apply",
            "send",
            "listen",
            "tail",
            "events",
            "inspect",
            "replay",
            "dead-letters",
            "export",
            "import",
            "queues",
            "prune",
            "doctor")) {
      out.getBuffer().setLength(0);
      assertThat(run(command, "--help")).isZero();
      assertThat(out.toString())
          .as(command)
          .contains("Examples:", "postrider " + command, "Exit codes: 0", "--json");
    }
  }

  /** docs/reference/postrider.schema.json is what editors load; it must be the current one. */
  @Test
  void thePublishedSchemaIsCurrent() throws IOException {
    assertThat(run("validate", "--schema")).isZero();
    Path docs = Path.of(System.getProperty("basedir", ".")).resolve("../docs/reference");
    String published = Files.readString(docs.resolve("postrider.schema.json"));
    assertThat(withoutSettings(published))
        .as("regenerate it: postrider validate --schema > docs/reference/postrider.schema.json")
        .isEqualTo(withoutSettings(out.toString()));
  }

  /** A new setting of the server is documented elsewhere, and must not need two commits. */
  private static JsonNode withoutSettings(String schema) {
    ObjectNode json = (ObjectNode) JsonMapper.builder().build().readTree(schema);
    ((ObjectNode) json.get("properties")).remove("settings");
    return json;
  }
}
