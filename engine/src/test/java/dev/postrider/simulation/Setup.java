package dev.postrider.simulation;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.signature.HmacKey;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.TestEngine;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Objects;

/** Applications and endpoints, made as the API makes them. */
final class Setup {
  private Setup() {}

  static Application application(TestEngine engine, String name) {
    return engine
        .applications()
        .createOrGet(Environment.DEFAULT_ID, ApplicationSpec.named(name, name))
        .value();
  }

  /** An endpoint whose receiver is known to the network by that path. */
  static EndpointSpec at(String path) {
    return EndpointSpec.of("http://127.0.0.1:9" + path);
  }

  static Endpoint endpoint(TestEngine engine, Application application, EndpointSpec spec) {
    return Objects.requireNonNull(
        engine
            .endpoints()
            .create(
                application,
                new NewEndpoint(spec, HmacKey.generate(new SecureRandom()), Map.of())));
  }
}
