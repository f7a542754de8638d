package dev.postrider.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.ServerSpec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine commandLine = BenchMain.commandLine();
    commandLine.setOut(new PrintWriter(out));
    commandLine.setErr(new PrintWriter(err));
    return commandLine.execute(args);
  }

  @Test
  void helpHasExamplesAndExitCodes() {
    assertThat(run("bench", "--help")).isZero();
    assertThat(out.toString()).contains("Examples:", "--scenario", "Exit codes:");
  }

  @Test
  void listsTheScenarios() {
    assertThat(run("bench", "--list")).isZero();
    assertThat(out.toString())
        .contains(
            "throughput",
            "hung10",
            "naive",
            "tails",
            "inbound",
            "growth",
            "retention1m",
            "noisy-tenant",
            "waiting20k");
  }

  @Test
  void wrongOptionsNameTheFixAndEndWith2() {
    assertThat(run()).isEqualTo(2);
    assertThat(run("bench", "--scenario", "warp")).isEqualTo(2);
    assertThat(run("bench", "--database", "oracle")).isEqualTo(2);
    assertThat(run("bench", "--variant", "A=x.jar")).isEqualTo(2);
    assertThat(run("bench", "--hosts", "255")).isEqualTo(2);
    assertThat(run("bench", "--kinds", "loud")).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "there is no 'warp'; choose from",
            "neither postgres nor sqlite",
            "two variants to compare",
            "there is no 'loud'; choose from hung50",
            "at most 200");
  }

  @Test
  void variantsAreSplitAtTheirLettersOnly() {
    assertThat(BenchArguments.variants("A=,B=POSTRIDER_RETRY_SCHEDULE=5s,30s;-Xmx1g"))
        .containsExactly(
            Map.entry("A", ""), Map.entry("B", "POSTRIDER_RETRY_SCHEDULE=5s,30s;-Xmx1g"));
    assertThatThrownBy(() -> BenchArguments.variants("x")).isInstanceOf(BenchFailure.class);
  }

  @Test
  void aVariantChangesJarFlagsAndSettings() {
    ServerSpec base = new ServerSpec(Path.of("a.jar"), List.of("-Xmx1g"), Map.of("K", "1"));

    assertThat(base.with("b.jar;-XX:+UseSerialGC;K=2;L=x=y"))
        .isEqualTo(
            new ServerSpec(
                Path.of("b.jar"),
                List.of("-Xmx1g", "-XX:+UseSerialGC"),
                Map.of("K", "2", "L", "x=y")));
    assertThat(base.with("")).isEqualTo(base);
    assertThatThrownBy(() -> base.with("nonsense")).hasMessageContaining("nonsense");
  }
}
