package dev.postrider.api.message;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.RouteAttribute.OWN_IDEMPOTENCY;
import static dev.postrider.api.http.RouteAttribute.SENDS;
import static dev.postrider.api.http.Scope.APPLICATION;
import static dev.postrider.api.http.Scope.ENVIRONMENT;

import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.engine.services.DryRuns;
import dev.postrider.id.Ids;
import dev.postrider.message.Acceptor;
import dev.postrider.task.Tasks;
import dev.postrider.time.TimeSource;

/** The API area for sending messages and reading them. */
public final class MessageArea implements ApiArea {
  private static final String ENDPOINT = APP + "/endpoint/{endpoint}";
  private static final String MESSAGE = APP + "/msg/{message}";

  private final MessageSends sends;
  private final MessageBatches batches;
  private final MessageCalls messages;
  private final BulkMessageCalls bulk;

  /** The services that accept a message, and those that simulate it. */
  public record Sending(Acceptor acceptor, DryRuns dryRuns) {}

  public MessageArea(
      ApplicationLookup applications,
      EndpointStore endpoints,
      Sending sending,
      MessageHistory history,
      Tasks tasks,
      Ids ids,
      TimeSource time) {
    DryRunCalls dryRuns = new DryRunCalls(sending.dryRuns(), history.messages());
    this.sends = new MessageSends(applications, sending.acceptor(), dryRuns, time);
    this.batches = new MessageBatches(applications, sends, sending.acceptor());
    this.messages =
        new MessageCalls(applications, new EndpointLookup(endpoints), history, ids, time);
    this.bulk = new BulkMessageCalls(applications, sends, tasks, time);
  }

  @Override
  public String name() {
    return "message";
  }

  @Override
  public void register(Router routes) {
    routes.post(APP + "/msg", APPLICATION, sends::create, LENIENT_BODY, OWN_IDEMPOTENCY, SENDS);
    routes.post(APP + "/msg/precheck/active", APPLICATION, sends::precheck, LENIENT_BODY);
    routes.post(APP + "/msg/batch", APPLICATION, batches::create, OWN_IDEMPOTENCY, SENDS);
    routes.post(APP + "/msg/expunge-all-contents", APPLICATION, bulk::expungeAll);
    routes.post(V1 + "/msg/broadcast", ENVIRONMENT, bulk::broadcast, LENIENT_BODY, SENDS);

    routes.get(ENDPOINT + "/msg", APPLICATION, messages::ofEndpoint);
    routes.get(APP + "/msg", APPLICATION, messages::list);
    routes.post(APP + "/msg/bulk-expunge", APPLICATION, messages::bulkExpunge, LENIENT_BODY);
    routes.get(MESSAGE, APPLICATION, messages::get);
    routes.get(MESSAGE + "/raw", APPLICATION, messages::raw);
    routes.delete(MESSAGE + "/content", APPLICATION, messages::expunge);
  }
}
