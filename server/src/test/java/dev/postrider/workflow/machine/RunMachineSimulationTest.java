package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random runs of random definitions, judged by their histories. A failure names its seed: {@code
 * -Dworkflow.seed=N} runs that one alone.
 */
final class RunMachineSimulationTest {
  private static final long SEEDS = Long.getLong("workflow.seeds", 15_000);
  private static final long BUG_SEEDS = 3_000;

  private final TransitionLog log = new TransitionLog();

  @Test
  void everyRunEndsWithAHistoryThatIsTrueAndEveryTransitionHappens() {
    Long one = Long.getLong("workflow.seed");
    if (one != null) {
      run(one);
      return;
    }
    LongStream.range(0, SEEDS).parallel().forEach(this::run);
    assertThat(missedSteps(log)).as("transitions of steps that no run exercised").isEmpty();
    assertThat(missedRuns(log)).as("transitions of runs that no run exercised").isEmpty();
  }

  private void run(long seed) {
    RunWorld world;
    try {
      world = RandomRuns.of(seed, log);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + RandomDefinitions.of(seed), e);
    }
    assertThat(HistoryJudge.problems(world.definition, world.rows))
        .as("seed %d: %s%n%s", seed, RandomDefinitions.of(seed), world.history())
        .isEmpty();
  }

  static Set<StepTransitions.Transition> missedSteps(TransitionLog log) {
    Set<StepTransitions.Transition> missed = new HashSet<>(StepTransitions.table());
    // Those of a lease are the engine's.
    missed.removeIf(transition -> transition.row() == null);
    missed.removeAll(log.steps);
    return missed;
  }

  static Set<RunTransitions.Transition> missedRuns(TransitionLog log) {
    Set<RunTransitions.Transition> missed = new HashSet<>(RunTransitions.table());
    missed.removeAll(log.runs);
    return missed;
  }

  @ParameterizedTest
  @EnumSource(SeededBug.class)
  void aSeededBugIsFoundInEachHistoryThatHasIt(SeededBug bug) {
    int found = 0;
    for (long seed = 0; seed < BUG_SEEDS && found < 20; seed++) {
      RunWorld world = RandomRuns.of(seed, log);
      List<HistoryRow> wrong = bug.applied(world.rows);
      if (wrong != null) {
        assertThat(HistoryJudge.problemsOfChanged(world.definition, wrong))
            .as("%s in seed %d%n%s", bug, seed, world.history())
            .isNotEmpty();
        found++;
      }
    }
    assertThat(found).as("histories with a place for " + bug).isGreaterThan(4);
  }
}
