package dev.postrider.bench.crash;

/**
 * The faults that a trial caused.
 *
 * @param clockJumps how often the clock of a machine was set
 */
public record FaultCounts(long kills, long freezes, long outages, long clockJumps) {
  static final FaultCounts NONE = new FaultCounts(0, 0, 0, 0);

  FaultCounts plus(FaultCounts other) {
    return new FaultCounts(
        kills + other.kills,
        freezes + other.freezes,
        outages + other.outages,
        clockJumps + other.clockJumps);
  }
}
