package dev.postrider.bench.report;

/** The counts of one second of a window. */
public record Sample(
    double second, double acceptedPerSecond, double deliveredPerSecond, double serverMb) {}
