package dev.postrider.bench.sink;

/**
 * The counts of the sink since the last reset, except {@code total}, which is never reset.
 *
 * @param held requests that wait for a slow answer, or for none at all
 * @param histogram end-to-end latency of the requests answered at once, encoded; empty unless asked
 *     for
 */
public record SinkSnapshot(
    long total,
    long ok,
    long slow,
    long hang,
    long fail,
    long malformed,
    int held,
    int connections,
    String histogram) {}
