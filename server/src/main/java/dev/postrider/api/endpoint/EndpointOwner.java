package dev.postrider.api.endpoint;

import dev.postrider.api.http.Call;
import dev.postrider.tenant.Application;

/** The application of the endpoints of a path: in the path, or determined otherwise. */
@FunctionalInterface
public interface EndpointOwner {
  Application inPath(Call call);
}
