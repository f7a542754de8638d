package dev.postrider.engine;

import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.signature.SigningKey;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Environment;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** Creates, reads and deletes the endpoints of applications. */
public final class Endpoints {
  private final EngineServices services;

  Endpoints(EngineServices services) {
    this.services = services;
  }

  /**
   * Creates an endpoint with its own signing secret.
   *
   * @throws IllegalArgumentException if the URL is not an allowed target
   * @throws NoSuchElementException if the application does not exist
   */
  public EndpointId create(ApplicationId application, NewEndpoint wanted) {
    EndpointSpec spec =
        EndpointSpec.of(vetted(application, wanted.url()))
            .with(EndpointFields.DESCRIPTION, wanted.description())
            .with(EndpointFields.SUBSCRIPTIONS, wanted.eventTypes());
    EndpointStore.NewEndpoint created =
        new EndpointStore.NewEndpoint(spec, services.storage().signingKeys().first(), Map.of());
    dev.postrider.endpoint.Endpoint endpoint =
        services.endpoints().store().create(known(application), created);
    if (endpoint == null) {
      throw missing(application);
    }
    return new EndpointId(endpoint.id().value());
  }

  public List<EndpointInfo> list(ApplicationId application) {
    List<EndpointInfo> all = new ArrayList<>();
    Id last = null;
    Keyset.Page<dev.postrider.endpoint.Endpoint> page;
    do {
      page =
          services
              .endpoints()
              .store()
              .list(application, new Keyset<>(Keyset.MAX_LIMIT, last, false, true));
      for (dev.postrider.endpoint.Endpoint endpoint : page.items()) {
        last = endpoint.id().value();
        EndpointSpec spec = endpoint.spec();
        all.add(
            new EndpointInfo(
                new EndpointId(endpoint.id().value()),
                URI.create(spec.get(EndpointFields.URL)),
                spec.get(EndpointFields.DESCRIPTION),
                spec.get(EndpointFields.SUBSCRIPTIONS),
                spec.get(EndpointFields.DISABLED)));
      }
    } while (!page.done());
    return List.copyOf(all);
  }

  /** The signing secret that receivers verify with, such as {@code whsec_…}. */
  public String secret(ApplicationId application, EndpointId endpoint) {
    SigningKey key =
        services.endpoints().secrets().current(known(application), known(application, endpoint));
    if (key == null) {
      throw missing(endpoint);
    }
    return key.text();
  }

  /**
   * Deletes the endpoint; its pending deliveries are canceled.
   *
   * @return false if it does not exist
   */
  public boolean delete(ApplicationId application, EndpointId endpoint) {
    return services.endpoints().store().delete(application, endpoint.text());
  }

  private String vetted(ApplicationId application, URI url) {
    try {
      Target target =
          Target.parse(url.toString(), services.targets().rules()).ownedBy(application.value());
      services.targets().guard().vet(target);
      return target.url();
    } catch (BadTarget e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private dev.postrider.tenant.Application known(ApplicationId id) {
    dev.postrider.tenant.Application found =
        services.tenants().applications().find(Environment.DEFAULT_ID, id.text());
    if (found == null) {
      throw missing(id);
    }
    return found;
  }

  private dev.postrider.endpoint.Endpoint known(ApplicationId application, EndpointId id) {
    dev.postrider.endpoint.Endpoint found =
        services.endpoints().store().find(application, id.text());
    if (found == null) {
      throw missing(id);
    }
    return found;
  }

  private static NoSuchElementException missing(Object id) {
    return new NoSuchElementException("not found: " + id);
  }
}
