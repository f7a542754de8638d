package dev.postrider.testkit;

import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.MasterKey;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointChanged;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.endpoint.RoutingStore;
import dev.postrider.event.EngineEvents;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.options.DeliveryOptions.DefaultSignature;
import dev.postrider.signature.HmacKey;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationChanged;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.tenant.JdbcDataKeyStore;
import dev.postrider.tenant.key.ApiKeyStore;
import dev.postrider.time.TimeSource;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The stores of one database, wired as the server wires them, with listeners that remember. */
public final class Fixture {
  public final Database database;
  public final SecureRandom random = new SecureRandom();
  public final SigningKeyGenerator signingKeys =
      new SigningKeyGenerator(DefaultSignature.HMAC256, random);
  public final Ids ids;
  public final EngineEvents events = new EngineEvents();
  public final Keyring keyring;
  public final List<Heard> heard = Collections.synchronizedList(new ArrayList<>());
  public final List<ApplicationChanged.Change> heardOfApplications =
      Collections.synchronizedList(new ArrayList<>());

  public final EnvironmentStore environments;
  public final ApplicationStore applications;
  public final ApiKeyStore apiKeys;
  public final EventTypeStore eventTypes;
  public final EndpointStore endpoints;
  public final EndpointSecrets secrets;
  public final RoutingStore routing;

  /** A published change of an endpoint. */
  public record Heard(Id applicationId, Id endpointId, EndpointChanged.Change change) {}

  public Fixture(Database database, TimeSource time) {
    this.database = database;
    ids = new Ids(time::nowMs, random);
    keyring =
        new Keyring(
            MasterKey.generate(random, "test"),
            List.of(),
            new JdbcDataKeyStore(database),
            ids,
            time,
            random);
    events.afterCommit(
        EndpointChanged.class,
        changed ->
            heard.add(
                new Heard(
                    changed.applicationId().value(),
                    changed.endpointId().value(),
                    changed.change())));
    events.afterCommit(
        ApplicationChanged.class, changed -> heardOfApplications.add(changed.change()));
    environments = new EnvironmentStore(database, time, events);
    applications = new ApplicationStore(database, ids, time, events);
    apiKeys = new ApiKeyStore(database, ids, time, random);
    eventTypes = new EventTypeStore(database, ids, time, events);
    endpoints = new EndpointStore(database, keyring, ids, time, events);
    secrets = new EndpointSecrets(database, keyring, ids, time, events);
    routing = new RoutingStore(database, keyring, time);
  }

  public Application application(String uid) {
    environments.ensureDefault();
    return applications
        .createOrGet(Environment.DEFAULT_ID, ApplicationSpec.named(uid, uid))
        .value();
  }

  public Endpoint endpoint(Application application, EndpointSpec spec) {
    return Objects.requireNonNull(
        endpoints.create(application, new NewEndpoint(spec, HmacKey.generate(random), Map.of())));
  }

  public List<EndpointChanged.Change> changes(Id endpointId) {
    return heard.stream()
        .filter(h -> h.endpointId().equals(endpointId))
        .map(Heard::change)
        .toList();
  }
}
