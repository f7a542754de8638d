package dev.postrider.engine.services;

import dev.postrider.tenant.ApplicationListener;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;

/**
 * Applications and environments. Stores that change applications in a transaction of their own
 * notify the listener after the commit.
 */
public record TenantServices(
    ApplicationStore applications, EnvironmentStore environments, ApplicationListener changes) {}
