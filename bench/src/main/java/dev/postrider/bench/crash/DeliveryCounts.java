package dev.postrider.bench.crash;

/**
 * What became of the messages of a trial.
 *
 * @param deliveries accepted messages × endpoints
 * @param delivered of those, how many arrived and were answered 2xx
 * @param duplicates successes beyond a delivery's first
 * @param rescued attempts that were taken over from a process that died or froze
 */
public record DeliveryCounts(
    long accepted,
    long deliveries,
    long delivered,
    long attempts,
    long duplicates,
    long rescued,
    long lost) {
  static final DeliveryCounts NONE = new DeliveryCounts(0, 0, 0, 0, 0, 0, 0);

  DeliveryCounts plus(DeliveryCounts other) {
    return new DeliveryCounts(
        accepted + other.accepted,
        deliveries + other.deliveries,
        delivered + other.delivered,
        attempts + other.attempts,
        duplicates + other.duplicates,
        rescued + other.rescued,
        lost + other.lost);
  }
}
