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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * The official JavaScript client drives what the server has. It is fetched by npm into a temporary
 * folder; without Node or npm's registry the test is skipped.
 */
class SvixJavaScriptTest {
  private static final String CLIENT = "svix@2";

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
    List<String> failed = new ArrayList<>();
    int calls = 0;
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
        calls++;
        if (!result.get("works").asBoolean()) {
          failed.add(line);
        }
      }
      // This client sends the payload as text beside an empty one.
      assertThat(world.receiver.await(1, request -> request.text().contains("\"from\"")))
          .isNotEmpty();
    }
    assertThat(failed).isEmpty();
    assertThat(calls).isGreaterThan(50);
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
