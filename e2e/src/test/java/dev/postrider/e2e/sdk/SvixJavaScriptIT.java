package dev.postrider.e2e.sdk;

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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * The official JavaScript client drives what the server has, and finds 501 behind every other
 * method; the table in docs/reference/svix-compatibility.md is what it finds. It is fetched by npm
 * into a temporary folder; without Node or npm's registry the test is skipped.
 */
@ExtendWith(SharedServers.class)
@Execution(ExecutionMode.CONCURRENT)
class SvixJavaScriptIT {
  private static final String CLIENT = "svix@2.5.0";
  private static final String BEGIN =
      "<!-- methods of the JavaScript client: written by SvixJavaScriptIT -->\n";

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void everyCallWorks(Databases.Kind kind, Servers servers) throws Exception {
    Path scripts = Files.createDirectory(folder.resolve("scripts"));
    assumeTrue(
        run(scripts, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", CLIENT) == 0,
        "Node or the npm registry cannot be reached");
    try (InputStream in = SvixJavaScriptIT.class.getResourceAsStream("/svix/calls.mjs")) {
      Files.write(scripts.resolve("calls.mjs"), in.readAllBytes());
    }
    Map<String, String> table = new TreeMap<>();
    try (SdkEnvironment environment = servers.on(kind).environment()) {
      environment.fill();
      run(
          scripts,
          "node",
          "calls.mjs",
          environment.url(),
          environment.key(),
          environment.receiver.url("/good"),
          environment.names.get("attempt_id"),
          environment.names.get("task_id"),
          environment.now());
      for (String line : Files.readAllLines(scripts.resolve("output"))) {
        JsonNode result = Json.MAPPER.readTree(line);
        table.put(result.get("name").asString(), result.get("works").asString());
      }
      // This client sends the payload as text beside an empty one.
      assertThat(environment.receiver.await(1, request -> request.text().contains("\"from\"")))
          .isNotEmpty();
    }
    assertThat(table.values()).as(table.toString()).isSubsetOf("yes", "501");
    assertThat(table).hasSizeGreaterThan(100);
    SvixCoverageIT.compare(BEGIN, SvixCoverageIT.written(BEGIN, table));
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
