package dev.postrider.api;

import dev.postrider.tenant.Application;

/** The application whose endpoints a path is about: named in it, or found in another way. */
@FunctionalInterface
interface EndpointOwner {
  Application inPath(Call call);
}
