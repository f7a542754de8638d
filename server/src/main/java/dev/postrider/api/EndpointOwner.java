package dev.postrider.api;

import dev.postrider.operational.OperationalWebhooks;
import dev.postrider.tenant.Application;

/** The application whose endpoints a path is about: named in it, or found in another way. */
interface EndpointOwner {
  Application inPath(Call call);

  /** How the path names the endpoint. */
  default String name(Call call) {
    return call.parameter(1);
  }

  /** The environment's operational webhooks, whose paths name no application. */
  static EndpointOwner operational(OperationalWebhooks webhooks) {
    return new EndpointOwner() {
      @Override
      public Application inPath(Call call) {
        return webhooks.of(call.environmentId());
      }

      @Override
      public String name(Call call) {
        return call.parameter(0);
      }
    };
  }
}
