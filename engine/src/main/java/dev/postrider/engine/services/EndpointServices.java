package dev.postrider.engine.services;

import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointCounts;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;

/** The services of the engine for endpoints, their secrets and agent routes. */
public record EndpointServices(
    EndpointStore store,
    EndpointSecrets secrets,
    AgentRouteStore agentRoutes,
    EndpointCounts counts) {}
