package dev.postrider.engine.services;

import dev.postrider.crypto.Keyring;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.event.EventPublisher;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.id.Ids;
import dev.postrider.queue.QueueStore;
import dev.postrider.storage.Database;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.time.TimeSource;

/** The stores of what a configuration file describes. */
public record ConfigurationStores(
    ApplicationStore applications,
    EventTypeStore eventTypes,
    EndpointStore endpoints,
    EndpointSecrets secrets,
    AgentRouteStore agentRoutes,
    QueueStore queues) {

  /**
   * Within a transaction of the caller.
   *
   * @param transaction in place of the database
   * @param events gets the changes, which are not committed yet
   * @param keyring within the transaction
   * @param maxEndpoints maximum number of enabled endpoints of an application without its own limit
   */
  public static ConfigurationStores in(
      Database transaction,
      EventPublisher events,
      StorageServices storage,
      Keyring keyring,
      int maxEndpoints) {
    Ids ids = storage.ids();
    TimeSource time = storage.time();
    EndpointStore endpoints =
        new EndpointStore(transaction, keyring, ids, time, events, maxEndpoints);
    return new ConfigurationStores(
        new ApplicationStore(transaction, ids, time, events),
        new EventTypeStore(transaction, ids, time, events),
        endpoints,
        new EndpointSecrets(transaction, keyring, ids, time, events),
        new AgentRouteStore(transaction, endpoints, ids, time, storage.signingKeys()),
        new QueueStore(transaction, ids, time, events));
  }
}
