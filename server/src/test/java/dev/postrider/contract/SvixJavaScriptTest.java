package dev.postrider.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.json.Json;
import dev.postrider.testkit.Databases;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * The official JavaScript client drives what the server has, and finds 501 behind every other
 * method; the table in docs/reference/svix-compatibility.md is what it finds. It is fetched by npm
 * into a temporary folder; without Node or npm's registry the test is skipped.
 */
class SvixJavaScriptTest {
  private static final String CLIENT = "svix@2.5.0";
  private static final String BEGIN =
      "<!-- methods of the JavaScript client: written by SvixJavaScriptTest -->\n";

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void everyCallWorks(Databases.Kind kind) throws Exception {
    Path scripts = Files.createDirectory(folder.resolve("scripts"));
    assumeTrue(
        run(scripts, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", CLIENT) == 0,
        "Node or the npm registry cannot be reached");
    try (InputStream in = SvixJavaScriptTest.class.getResourceAsStream("/svix/calls.mjs")) {
      Files.write(scripts.resolve("calls.mjs"), in.readAllBytes());
    }
    Map<String, String> table = new TreeMap<>();
    try (World world = new World(kind, Files.createDirectory(folder.resolve("data")))) {
      world.fill();
      run(
          scripts,
          "node",
          "calls.mjs",
          "http://127.0.0.1:" + world.app.port(),
          World.KEY,
          world.receiver.url("/good"),
          world.names.get("attempt_id"),
          world.names.get("task_id"),
          world.now());
      for (String line : Files.readAllLines(scripts.resolve("output"))) {
        JsonNode result = Json.MAPPER.readTree(line);
        table.put(result.get("name").asString(), result.get("works").asString());
      }
      // This client sends the payload as text beside an empty one.
      assertThat(world.receiver.await(1, request -> request.text().contains("\"from\"")))
          .isNotEmpty();
    }
    assertThat(table.values()).as(table.toString()).isSubsetOf("yes", "501");
    assertThat(table).hasSizeGreaterThan(100);
    SvixCoverageTest.compare(BEGIN, SvixCoverageTest.written(BEGIN, table));
  }

  private static int run(Path folder, String... command) throws InterruptedException {
    try {
      File output = folder.resolve("output").toFile();
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(false)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .redirectOutput(output)
              .start();
      if (!process.waitFor(90, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return -1;
      }
      return process.exitValue();
    } catch (IOException e) {
      return -1;
    }
  }
}
