package dev.postrider.bench.raw;

import java.util.List;

/**
 * The work of the raw client: the target URLs, used in turn, and the number of concurrent requests.
 */
public record RawPlan(List<String> urls, int inFlight, int payloadBytes) {}
