package dev.postrider.bench.load;

/**
 * The counts of the load generator since the last reset; {@code totalAccepted} since the start of
 * the run.
 *
 * @param accepted messages answered 2xx
 * @param refused requests answered 429 or 503, and messages of a batch that were not taken
 * @param errors other answers, and connections that broke
 * @param late requests of an open loop for which no connection was free when they were due
 * @param histogram accept latency of requests answered 2xx, encoded; empty unless asked for
 */
public record LoadSnapshot(
    long totalAccepted,
    long accepted,
    long refused,
    long errors,
    long late,
    int inFlight,
    boolean done,
    String lastError,
    String lastRefusal,
    String histogram) {}
