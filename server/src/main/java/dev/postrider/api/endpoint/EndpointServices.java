package dev.postrider.api.endpoint;

import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.signature.SigningKeyGenerator;

/** What the calls about endpoints need, whoever owns the endpoints. */
public record EndpointServices(
    EndpointStore store,
    EndpointSecrets secrets,
    EndpointChecks checks,
    SigningKeyGenerator signingKeys) {

  EndpointLookup lookup() {
    return new EndpointLookup(store);
  }

  /** The same for endpoints whose event types are the server's own. */
  EndpointServices withServerEventTypes() {
    return new EndpointServices(
        store,
        secrets,
        new EndpointChecks(checks.urls(), checks.expressions(), SubscribableTypes.ALL),
        signingKeys);
  }
}
