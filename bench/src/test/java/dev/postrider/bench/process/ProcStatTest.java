package dev.postrider.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProcStatTest {
  @Test
  void readsTheFieldsAfterACommandWithSpacesAndParentheses() {
    ProcStat stat =
        ProcStat.parse(
            "4711 (my (odd) name) S 42 4711 4711 0 -1 4194560 1163 5 6 7 311 22 13 4 20 0 9 0 83 0 0");

    assertThat(stat).isEqualTo(new ProcStat(4711, 42, 333, 17));
  }

  @Test
  void seesThisProcess() {
    long self = ProcessHandle.current().pid();

    assertThat(ProcStat.read(self).orElseThrow().pid()).isEqualTo(self);
    assertThat(ProcStat.ownSeconds(self)).isPositive();
    assertThat(ProcStat.familySeconds(self)).isGreaterThanOrEqualTo(ProcStat.ownSeconds(self) / 2);
    assertThat(ProcStat.residentBytes(self)).isGreaterThan(1 << 20);
  }

  @Test
  void takesResidentMemoryFromTheStatusText() {
    assertThat(ProcStat.residentBytes("Name:\tjava\nVmHWM:\t  900 kB\nVmRSS:\t  700 kB\n"))
        .isEqualTo(700 * 1024);
  }

  @Test
  void takesTheHardLimitOfOpenFiles() {
    assertThat(
            ProcStat.openFileLimit(
                Stream.of(
                    "Limit                     Soft Limit           Hard Limit           Units",
                    "Max open files            1024                 524288               files")))
        .isEqualTo(524_288);
    assertThat(ProcStat.openFileLimit()).isPositive();
  }
}
