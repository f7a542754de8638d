package dev.postrider.configfile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every file below {@code examples/} is good and can be applied, and then nothing differs; on
 * either database.
 */
@Timeout(120)
final class ExamplesTest {
  private static final Map<String, String> VARIABLES =
      Map.of("GITHUB_SECRET", "s3cret", "STRIPE_SECRET", "whsec_test");

  @TempDir Path folder;

  static Stream<Arguments> isGoodAndCanBeApplied() {
    return Stream.of("github", "stripe", "sns", "cron")
        .flatMap(
            example -> Stream.of(Databases.Kind.values()).map(kind -> Arguments.of(example, kind)));
  }

  @ParameterizedTest
  @MethodSource
  void isGoodAndCanBeApplied(String example, Databases.Kind kind) {
    Path file =
        Path.of(System.getProperty("basedir", "."))
            .resolve("../examples/" + example + "/postrider.yaml");
    String json = ConfigurationFile.read(file, null, VARIABLES).toJson();
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      Apps.Answer applied = apps.expect(app, 200, "POST", "/configuration/apply", json);
      assertThat(applied.json().path("changes")).hasSizeGreaterThanOrEqualTo(2);
      Apps.Answer again = apps.expect(app, 200, "POST", "/configuration/plan", json);
      assertThat(again.json().path("changes")).isEmpty();
    }
  }
}
