package dev.postrider.bench.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.postrider.bench.model.ClusterModel.Cost;
import dev.postrider.bench.model.ClusterModel.Layout;
import dev.postrider.bench.model.ClusterModel.Result;
import org.junit.jupiter.api.Test;

class ClusterModelTest {
  private static final Cost COST = new Cost(60, 40, 200);
  private static final int MESSAGES = 50_000;

  private static Result run(int instances, int databaseCores, double rate) {
    return ClusterModel.run(COST, new Layout(instances, 4, databaseCores, rate), MESSAGES, 1);
  }

  /** One server, one core, no batches: a queue whose times are known (M/D/1, half busy). */
  @Test
  void waitsAsLongAsTheFormulaSays() {
    Result result = ClusterModel.run(new Cost(100, 0, 0), new Layout(1, 1, 1, 5_000), MESSAGES, 7);
    assertThat(result.serverBusy()).isCloseTo(0.5, within(0.02));
    assertThat(result.p50Ms()).isBetween(0.1, 0.15);
    assertThat(result.perSecond()).isCloseTo(5_000, within(150.0));
  }

  @Test
  void keepsUpWithTheRateUntilTheDatabaseIsBusyThenNoMore() {
    assertThat(run(4, 2, 10_000).perSecond()).isCloseTo(10_000, within(300.0));
    Result full = run(4, 2, 200_000);
    assertThat(full.databaseBusy()).isGreaterThan(0.9);
    // 2 cores / (40 µs + 200 µs / 512)
    assertThat(full.perSecond()).isBetween(44_000.0, 50_000.0);
  }

  /** Group commit: the busier the database, the larger the batches, the less each message costs. */
  @Test
  void batchesGrowWithTheLoadAndShrinkWithInstances() {
    assertThat(run(1, 2, 1_000).meanBatch()).isLessThan(1.5);
    assertThat(run(1, 2, 20_000).meanBatch()).isGreaterThan(3);
    assertThat(run(8, 2, 20_000).meanBatch()).isLessThan(run(1, 2, 20_000).meanBatch());
    assertThat(run(8, 2, 20_000).databaseBusy()).isGreaterThan(run(1, 2, 20_000).databaseBusy());
  }

  @Test
  void theSameSeedGivesTheSameResult() {
    assertThat(run(3, 2, 5_000)).isEqualTo(run(3, 2, 5_000));
  }

  @Test
  void aPlanRoundsUpToWholeMachines() {
    ClusterPlan plan = ClusterPlan.of(COST, 100_000, 16);
    assertThat(plan.serverCores()).isCloseTo(6.0, within(1e-9));
    assertThat(plan.databaseCores()).isCloseTo(4.0, within(1e-9));
    assertThat(plan.instances()).isEqualTo(1);
    assertThat(ClusterPlan.of(COST, 1_000_000, 16).instances()).isEqualTo(7);
    assertThat(ClusterPlan.of(COST, 1_000_000, 16).databases()).isEqualTo(5);
  }
}
