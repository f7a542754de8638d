package dev.postrider.api.endpoint;

import dev.postrider.api.http.Call;
import dev.postrider.tenant.Application;

/** The application whose endpoints a path is about: named in it, or found in another way. */
@FunctionalInterface
public interface EndpointOwner {
  Application inPath(Call call);
}
