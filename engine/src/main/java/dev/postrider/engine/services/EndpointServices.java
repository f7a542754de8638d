package dev.postrider.engine.services;

import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointListener;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;

/**
 * Endpoints, their secrets and agent routes. Stores that change endpoints in a transaction of their
 * own notify the listener after the commit.
 */
public record EndpointServices(
    EndpointStore store,
    EndpointSecrets secrets,
    AgentRouteStore agentRoutes,
    EndpointListener changes) {}
