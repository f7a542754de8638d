package dev.postrider.api.queue;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.RouteAttribute.NO_HEAD;
import static dev.postrider.api.http.RouteAttribute.RETURNS_SECRET;
import static dev.postrider.api.http.Scope.APPLICATION;
import static dev.postrider.api.http.Scope.ENVIRONMENT;
import static dev.postrider.api.http.Scope.PUBLIC;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.engine.services.QueueServices;
import dev.postrider.expression.Expressions;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.time.TimeSource;
import java.security.SecureRandom;

/** The API area of pull queues, and of the same queues read as a log. */
public final class QueueArea implements ApiArea {
  private static final String QUEUE = APP + "/queue/{queue}";
  private static final String POLLER = APP + "/poller/{queue}";
  private static final String POLLING = APP + "/polling-endpoint/{queue}/consumer/{consumer}";
  private static final String TOKEN = V1 + "/auth/app/{application}/poller/{queue}/token";

  private final QueueCalls queues;
  private final PollerCalls pollers;
  private final PollingEndpointCalls polling;

  public QueueArea(
      ApplicationLookup applications,
      ApiKeys keys,
      QueueServices services,
      DeliveryReader deliveries,
      Expressions expressions,
      SecureRandom random,
      TimeSource time) {
    QueueAccess access = new QueueAccess(applications, services.store(), keys);
    this.queues =
        new QueueCalls(applications, services, access, deliveries, expressions, random, time);
    this.pollers = new PollerCalls(access, services.history(), services.filter());
    this.polling = new PollingEndpointCalls(applications, access, pollers, services, time);
  }

  @Override
  public String name() {
    return "queue";
  }

  @Override
  public void register(Router routes) {
    queues(routes);
    consumers(routes);
    tokens(routes);
  }

  private void queues(Router routes) {
    routes.get(V1 + "/queue", APPLICATION, queues::all);
    routes.get(APP + "/queue", APPLICATION, queues::list);
    routes.post(APP + "/queue", APPLICATION, queues::create, RETURNS_SECRET);
    routes.get(QUEUE, APPLICATION, queues::get);
    routes.patch(QUEUE, APPLICATION, queues::patch);
    routes.delete(QUEUE, APPLICATION, queues::delete);
    routes.post(QUEUE + "/key/rotate", APPLICATION, queues::rotateKey, RETURNS_SECRET);
    routes.post(QUEUE + "/redrive", APPLICATION, queues::redrive);
    routes.get(QUEUE + "/peek", APPLICATION, queues::peek);
    routes.get(QUEUE + "/dead-letter", APPLICATION, queues::deadLetters);
  }

  /** Consumers use the key or a token of the queue, which the handlers check themselves. */
  private void consumers(Router routes) {
    routes.get(QUEUE + "/messages", PUBLIC, queues::receive, NO_HEAD);
    routes.post(QUEUE + "/ack", PUBLIC, queues::ack);
    routes.post(QUEUE + "/nack", PUBLIC, queues::nack);

    routes.get(POLLER, PUBLIC, pollers::poll);
    routes.get(POLLER + "/consumer/{consumer}", PUBLIC, pollers::consumerPoll, NO_HEAD);
    routes.post(POLLER + "/consumer/{consumer}/seek", PUBLIC, pollers::seek, LENIENT_BODY);

    routes.get(POLLING, PUBLIC, polling::poll, NO_HEAD);
    routes.post(POLLING + "/commit", PUBLIC, polling::commit, LENIENT_BODY);
  }

  private void tokens(Router routes) {
    routes.get(TOKEN, ENVIRONMENT, polling::token, RETURNS_SECRET);
    routes.post(TOKEN + "/rotate", ENVIRONMENT, polling::rotate, RETURNS_SECRET, LENIENT_BODY);
  }
}
