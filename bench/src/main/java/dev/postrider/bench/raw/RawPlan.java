package dev.postrider.bench.raw;

import java.util.List;

/** What the raw client sends: to these URLs in turn, with so many requests under way. */
public record RawPlan(List<String> urls, int inFlight, int payloadBytes) {}
