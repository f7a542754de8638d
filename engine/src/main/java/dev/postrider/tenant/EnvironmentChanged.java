package dev.postrider.tenant;

import dev.postrider.event.SharedEvent;

/** The settings of an environment were changed. */
public record EnvironmentChanged(String environmentId) implements SharedEvent {}
