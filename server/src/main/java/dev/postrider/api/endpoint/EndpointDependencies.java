package dev.postrider.api.endpoint;

import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.signature.SigningKeyGenerator;

/** The dependencies of the endpoint API, independent of the owner of the endpoints. */
public record EndpointDependencies(
    EndpointStore store,
    EndpointSecrets secrets,
    EndpointChecks checks,
    SigningKeyGenerator signingKeys) {

  EndpointLookup lookup() {
    return new EndpointLookup(store);
  }

  /** The same for endpoints with event types of the server itself. */
  EndpointDependencies withServerEventTypes() {
    return new EndpointDependencies(
        store,
        secrets,
        new EndpointChecks(checks.urls(), checks.expressions(), SubscribableTypes.ALL),
        signingKeys);
  }
}
