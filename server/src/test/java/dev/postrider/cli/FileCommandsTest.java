package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
    assertThat(out.toString()).contains("is good: ");
  }

  @Test
  void aFileThatIsThereStaysAsItIs() throws IOException {
    Path file = Files.writeString(folder.resolve("postrider.yaml"), "mine");
    assertThat(run("init", "--config", file.toString())).isEqualTo(Cli.USER_ERROR);
    assertThat(err.toString()).contains("exists and is left as it is");
    assertThat(Files.readString(file)).isEqualTo("mine");
    assertThat(run("init", "--template", "gitub")).isEqualTo(Cli.USER_ERROR);
    assertThat(err.toString()).contains("Did you mean github?");
  }

  @Test
  void theFileIsFoundByFlagThenVariable() throws IOException {
    Path good = Files.writeString(folder.resolve("good.yaml"), "applications: { acme: {} }");
    Path bad = Files.writeString(folder.resolve("bad.yaml"), "applicatons: {}");
    environment.put("POSTRIDER_CONFIG", bad.toString());
    assertThat(run("validate")).isEqualTo(Cli.USER_ERROR);
    assertThat(err.toString())
        .contains(
            "postrider: "
                + bad
                + ":1:1: applicatons: is not known here. Did you mean applications?");
    assertThat(run("validate", "--json", "--config", good.toString())).isZero();
    assertThat(out.toString().strip())
        .contains("\"valid\":true")
        .contains("\"sections\":{\"applications\":1}");
    environment.put("POSTRIDER_CONFIG", folder.resolve("none.yaml").toString());
    assertThat(run("validate")).isEqualTo(Cli.USER_ERROR);
    assertThat(err.toString()).contains("Make one with postrider init");
  }

  @Test
  void aDoorForEverybodyIsToldAndNoError() throws IOException {
    Path file =
        Files.writeString(folder.resolve("open.yaml"), "sources: { open: { verify: none } }");
    assertThat(run("validate", "--config", file.toString())).isZero();
    assertThat(err.toString())
        .contains("postrider: warning: " + file + ":1:28: sources.open.verify: none: nothing");
    assertThat(out.toString()).contains("is good: sources 1");
    err.getBuffer().setLength(0);
    out.getBuffer().setLength(0);
    assertThat(run("validate", "--json", "--config", file.toString())).isZero();
    assertThat(out.toString()).contains("\"warnings\":[\"" + file + ":1:28: sources.open.verify");
    assertThat(err.toString()).isEmpty();
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

  /** docs/postrider.schema.json is what editors load; it must be the current one. */
  @Test
  void thePublishedSchemaIsCurrent() throws IOException {
    assertThat(run("validate", "--schema")).isZero();
    Path docs = Path.of(System.getProperty("basedir", ".")).resolve("../docs");
    String published = Files.readString(docs.resolve("postrider.schema.json"));
    assertThat(withoutSettings(published))
        .as("write it anew: postrider validate --schema > docs/postrider.schema.json")
        .isEqualTo(withoutSettings(out.toString()));
  }

  /** A new setting of the server is documented elsewhere, and must not need two commits. */
  private static JsonNode withoutSettings(String schema) {
    ObjectNode json = (ObjectNode) JsonMapper.builder().build().readTree(schema);
    ((ObjectNode) json.get("properties")).remove("settings");
    return json;
  }
}
