package dev.postrider.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.bench.report.Figure;
import dev.postrider.bench.report.ScenarioResult;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.SmallTestbed;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The product itself, on SQLite, with a tenth of the background load and windows of a second. */
@Timeout(240)
class NoisyTenantTest {
  @TempDir private Path folder;

  @Test
  void everyKindIsComparedWithTheQuietWindowBeforeIt() throws IOException {
    ScenarioResult result = run(List.of("hung50", "names500"));

    assertThat(result.problems()).isEmpty();
    assertThat(result.windows())
        .extracting(Window::label)
        .containsExactly(
            "quiet, before hung50",
            "50 hung endpoints, 120 messages",
            "quiet, before names500",
            "500 endpoints whose DNS lookups hang, 12 messages");
    // All 200 messages of a window are timed, also those that arrive after it.
    assertThat(result.windows()).allMatch(window -> window.endToEnd().count() == 200);
    assertThat(result.figures())
        .allMatch(figure -> figure.goal() != null)
        .extracting(Figure::name)
        .satisfiesExactly(
            name -> assertThat(name).startsWith("hung50: end-to-end p95 of other applications"),
            name -> assertThat(name).startsWith("names500: end-to-end p95 of other applications"));
  }

  @Test
  void anUnknownKindIsRefused() {
    assertThatThrownBy(() -> BackgroundLoad.named(List.of("hung50", "loud")))
        .isInstanceOf(BenchFailure.class)
        .hasMessageContaining("there is no 'loud'; choose from hung50, hung500,");
  }

  @Test
  void theHelpNamesEveryKind() {
    assertThat(BackgroundLoad.NAMES)
        .isEqualTo(
            BackgroundLoad.named(List.of()).stream()
                .map(BackgroundLoad::name)
                .collect(Collectors.joining(", ", "", ".")));
  }

  private ScenarioResult run(List<String> kinds) throws IOException {
    ServerSpec server = new ServerSpec(serverJar(), List.of("-XX:+UseSerialGC"), Map.of());
    Scenario scenario = Scenarios.named(List.of("noisy-tenant")).getFirst();
    try (Testbed testbed = SmallTestbed.start(server, kinds)) {
      return Scenarios.run(scenario, testbed, Storage.SQLITE).orElseThrow();
    }
  }

  /** A jar that only refers to the classes of this test run, so that none has to be packaged. */
  private Path serverJar() throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, "dev.postrider.Main");
    attributes.put(
        Attributes.Name.CLASS_PATH,
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toUri().toString())
            .collect(Collectors.joining(" ")));
    Path jar = folder.resolve("server.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }
}
