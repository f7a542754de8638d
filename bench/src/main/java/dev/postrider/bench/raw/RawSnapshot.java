package dev.postrider.bench.raw;

/** The counts of the raw client since the last reset. */
public record RawSnapshot(long delivered, long failed, String lastFailure) {}
