package dev.postrider.tenant;

/** The fields of an environment that callers set. */
public record EnvironmentSpec(String name, EnvironmentSettings settings) {}
