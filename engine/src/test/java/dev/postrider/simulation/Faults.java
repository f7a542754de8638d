package dev.postrider.simulation;

import java.util.SplittableRandom;

/**
 * What goes wrong, and how often. Each seed has a mix of its own, in which most kinds are missing:
 * a world where everything breaks all the time shows less than one where few things do.
 */
final class Faults {
  private final World world;
  private final SplittableRandom random;
  private final boolean quickDatabase;
  private final int requestsLostPerMille;
  private final int answersLostPerMille;
  final int kills;
  final int freezes;
  final int clockJumps;
  final int outages;
  final int drains;
  final int changes;

  /** Generations of idempotency keys that begin before they are due. */
  final int rotations;

  Faults(World world, SplittableRandom random) {
    this.world = world;
    this.random = random;
    quickDatabase = random.nextBoolean();
    requestsLostPerMille = sometimes(30);
    // SQLite is in the process: what is committed is known to be.
    int lost = sometimes(30);
    answersLostPerMille = world.several() ? lost : 0;
    kills = sometimes(4);
    freezes = sometimes(3);
    clockJumps = sometimes(4);
    outages = sometimes(3);
    drains = sometimes(2);
    changes = sometimes(5);
    rotations = sometimes(3);
  }

  private int sometimes(int most) {
    return random.nextInt(3) == 0 ? random.nextInt(1, most + 1) : 0;
  }

  /** Whether a process is to be hit just after a commit, before it has the answer. */
  boolean strikesAfterCommit() {
    return world.breaks() && kills + freezes > 0 && chance(40);
  }

  private boolean chance(int perMille) {
    return perMille > 0 && random.nextInt(1_000) < perMille;
  }

  boolean requestLost(Host host) {
    return world.breaks() && chance(requestsLostPerMille);
  }

  boolean answerLost(Host host) {
    return world.breaks() && chance(answersLostPerMille);
  }

  /** How long a statement is under way, one way; 0 for no chance to do anything else meanwhile. */
  long databaseNanos() {
    int dice = random.nextInt(100);
    if (dice < 40) {
      return 0;
    }
    if (dice < 97 || quickDatabase || !world.breaks()) {
      return random.nextLong(1_000, 1_500_000);
    }
    return world.span(random.nextLong(1, 1_500));
  }

  long refusalNanos() {
    return world.span(random.nextLong(1, 2_500));
  }

  @Override
  public String toString() {
    return "lost requests %d‰ answers %d‰, kills %d, freezes %d, clock jumps %d, outages %d, drains %d, changes %d, rotations %d"
        .formatted(
            requestsLostPerMille,
            answersLostPerMille,
            kills,
            freezes,
            clockJumps,
            outages,
            drains,
            changes,
            rotations);
  }
}
