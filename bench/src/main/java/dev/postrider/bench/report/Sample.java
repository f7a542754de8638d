package dev.postrider.bench.report;

/** One second of a window. */
public record Sample(
    double second, double acceptedPerSecond, double deliveredPerSecond, double serverMb) {}
