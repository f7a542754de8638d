package dev.postrider.bench.raw;

/** What the raw client has counted since the last reset. */
public record RawSnapshot(long delivered, long failed, String lastFailure) {}
