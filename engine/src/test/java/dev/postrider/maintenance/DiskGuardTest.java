package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DiskGuardTest {
  @Test
  void pausesBelowTheMinimumAndGoesOnWithSomeSlack() throws Exception {
    AtomicLong free = new AtomicLong(DiskGuard.MIN_FREE_BYTES);
    List<Boolean> told = new ArrayList<>();
    DiskGuard guard = new DiskGuard(free::get, told::add);
    guard.turn();
    assertThat(told).isEmpty();
    free.set(DiskGuard.MIN_FREE_BYTES - 1);
    guard.turn();
    guard.turn();
    assertThat(told).containsExactly(true);
    free.set(DiskGuard.MIN_FREE_BYTES + DiskGuard.SLACK_BYTES - 1);
    guard.turn();
    assertThat(told).containsExactly(true);
    free.set(DiskGuard.MIN_FREE_BYTES + DiskGuard.SLACK_BYTES);
    guard.turn();
    assertThat(told).containsExactly(true, false);
  }

  @Test
  void theFirstLookIsBeforeTheFirstAccept() {
    List<Boolean> told = new ArrayList<>();
    DiskGuard guard = new DiskGuard(() -> 0, told::add);
    guard.start();
    guard.stop();
    assertThat(told).containsExactly(true);
  }
}
