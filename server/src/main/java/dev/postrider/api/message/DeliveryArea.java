package dev.postrider.api.message;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.Scope.APPLICATION;

import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.command.Cancel;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.id.Ids;
import dev.postrider.queue.QueueStore;
import dev.postrider.task.Tasks;
import dev.postrider.time.TimeSource;

/** The API area of deliveries and attempts, with resends and cancels. */
public final class DeliveryArea implements ApiArea {
  private static final String ENDPOINT = APP + "/endpoint/{endpoint}";
  private static final String MESSAGE = APP + "/msg/{message}";

  private final AttemptCalls attempts;
  private final DeliveryCalls deliveries;
  private final EnvironmentDeliveryCalls everywhere;
  private final RecoverCalls recovery;
  private final ExampleCalls examples;

  /** The services that send again or cancel: one delivery, or many in a background task. */
  public record Actions(Redrive redrive, Cancel cancel, Tasks tasks) {}

  public DeliveryArea(
      ApplicationLookup applications,
      EndpointStore endpointStore,
      MessageHistory history,
      QueueStore queues,
      EventTypeStore types,
      Actions actions,
      Ids ids,
      TimeSource time) {
    EndpointLookup endpoints = new EndpointLookup(endpointStore);
    this.attempts = new AttemptCalls(applications, endpoints, history, actions.redrive(), ids);
    DeliveryOut out = new DeliveryOut(history.readers().details());
    this.deliveries =
        new DeliveryCalls(
            applications, endpoints, queues, history, out, actions.redrive(), actions.cancel());
    this.everywhere =
        new EnvironmentDeliveryCalls(
            applications,
            history.readers().lanes(),
            history.readers().ofEnvironment(),
            deliveries,
            out);
    this.recovery = new RecoverCalls(applications, endpoints, actions.tasks(), time);
    this.examples = new ExampleCalls(applications, endpoints, types, actions.redrive());
  }

  @Override
  public String name() {
    return "delivery";
  }

  @Override
  public void register(Router routes) {
    routes.get(MESSAGE + "/attempt", APPLICATION, attempts::ofMessage);
    routes.get(MESSAGE + "/attempt/{attempt}", APPLICATION, attempts::get);
    routes.delete(MESSAGE + "/attempt/{attempt}/content", APPLICATION, attempts::expunge);
    routes.get(
        MESSAGE + "/endpoint/{endpoint}/attempt", APPLICATION, attempts::ofMessageAndEndpoint);
    routes.get(MESSAGE + "/endpoint", APPLICATION, attempts::destinations);
    routes.post(MESSAGE + "/endpoint/{endpoint}/resend", APPLICATION, attempts::resend);
    routes.get(APP + "/attempt/msg/{message}", APPLICATION, attempts::ofMessage);
    routes.get(APP + "/attempt/endpoint/{endpoint}", APPLICATION, attempts::ofEndpoint);
    routes.get(APP + "/attempt/endpoint/{endpoint}/count", APPLICATION, attempts::count);
    routes.get(MESSAGE + "/attempt/{attempt}/headers", APPLICATION, attempts::headers);

    routes.get(V1 + "/delivery", APPLICATION, everywhere::list);
    routes.get(V1 + "/delivery/count", APPLICATION, everywhere::count);
    routes.get(APP + "/delivery", APPLICATION, deliveries::list);
    routes.get(APP + "/delivery/{delivery}", APPLICATION, deliveries::get);
    routes.post(APP + "/delivery/{delivery}/retry", APPLICATION, deliveries::retry);
    routes.post(APP + "/delivery/{delivery}/cancel", APPLICATION, deliveries::cancel);
    routes.post(MESSAGE + "/cancel", APPLICATION, deliveries::cancelMessage);

    routes.post(ENDPOINT + "/recover", APPLICATION, recovery::recover, LENIENT_BODY);
    routes.post(ENDPOINT + "/redrive", APPLICATION, recovery::redrive);
    routes.post(APP + "/redrive", APPLICATION, recovery::redriveApplication);
    routes.post(APP + "/replay", APPLICATION, recovery::replayApplication);
    routes.post(ENDPOINT + "/replay-missing", APPLICATION, recovery::replayMissing, LENIENT_BODY);
    routes.post(ENDPOINT + "/bulk-replay", APPLICATION, recovery::bulkReplay, LENIENT_BODY);
    routes.post(ENDPOINT + "/send-example", APPLICATION, examples::send, LENIENT_BODY);
  }
}
