package dev.postrider.engine.services;

import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;

/** The services of the engine for applications and environments. */
public record TenantServices(ApplicationStore applications, EnvironmentStore environments) {}
