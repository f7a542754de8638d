package dev.postrider.tenant;

/** What a caller decides about an environment. */
public record EnvironmentSpec(String name, EnvironmentSettings settings) {}
