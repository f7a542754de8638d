package dev.postrider.bench.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CrashReportTest {
  private static TrialResult trial(String name, long lost, String... violations) {
    return new TrialResult(
        name,
        42,
        1.5,
        new DeliveryCounts(100, 200, 200 - lost, 230, 3, 7, lost),
        new FaultCounts(10, 1, 2, 6),
        "",
        List.of(violations));
  }

  @Test
  void aCleanRunHasItsSumsAndNoViolation() {
    CrashReport report =
        CrashReport.of("now", 42, 3, List.of(trial("sqlite-kill", 0), trial("postgres-kill", 0)));
    assertThat(report.violated()).isFalse();
    assertThat(report.counts().accepted()).isEqualTo(200);
    assertThat(report.counts().delivered()).isEqualTo(400);
    assertThat(report.counts().duplicates()).isEqualTo(6);
    assertThat(report.faults().kills()).isEqualTo(20);
    assertThat(report.faults().outages()).isEqualTo(4);
    assertThat(report.faults().clockJumps()).isEqualTo(12);
    assertThat(report.text())
        .contains("accepted", "delivered", "duplicates", "lost", "kills", "outages", "jumps")
        .endsWith("all accepted messages arrived; seed 42\n");
  }

  @Test
  void aViolationIsReportedWithItsReplay() {
    CrashReport report =
        CrashReport.of(
            "now",
            42,
            3,
            List.of(
                trial("sqlite-kill", 0), trial("postgres-kill", 1, "1 deliveries lost: msg_x")));
    assertThat(report.violated()).isTrue();
    assertThat(report.counts().lost()).isOne();
    assertThat(report.text())
        .contains(
            "VIOLATION in postgres-kill (replay: --trial postgres-kill --seed 42): 1 deliveries"
                + " lost: msg_x")
        .endsWith("FAILED, seed 42\n");
  }
}
