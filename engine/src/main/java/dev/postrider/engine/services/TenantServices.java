package dev.postrider.engine.services;

import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;

/** Applications and environments. */
public record TenantServices(ApplicationStore applications, EnvironmentStore environments) {}
