package dev.postrider.api.endpoint;

import dev.postrider.api.http.Call;
import dev.postrider.tenant.Application;

/**
 * Finds the application whose endpoints a request addresses: the one in the path, or a fixed one
 * for operational webhooks.
 */
@FunctionalInterface
public interface EndpointOwner {
  Application inPath(Call call);
}
