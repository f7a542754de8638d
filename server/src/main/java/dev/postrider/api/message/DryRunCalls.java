package dev.postrider.api.message;

import dev.postrider.api.endpoint.EndpointCalls;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Errors;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.Routing;
import dev.postrider.engine.services.DryRuns;
import dev.postrider.engine.services.DryRuns.Outcome;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.json.Problem;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Message;
import dev.postrider.message.MessageReader;
import dev.postrider.message.NewMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The API call for the dry run of a message: it stores and sends nothing. */
final class DryRunCalls {
  private final DryRuns dryRuns;
  private final MessageReader messages;

  DryRunCalls(DryRuns dryRuns, MessageReader messages) {
    this.dryRuns = dryRuns;
    this.messages = messages;
  }

  void answer(Call call, NewMessage message, List<Problem> warnings) {
    Routing routing = routing(message.environmentId(), message.application());
    AcceptResult refused = dryRuns.refusal(routing, message);
    if (refused != null) {
      throw MessageSends.refusal(refused);
    }
    refuseTakenEventId(routing.applicationId(), message.eventId());
    AgentRoute ofAll = routing.routesOf(message.eventType()).forAll();
    List<DryRuns.Preview> previews = dryRuns.previews(routing, message);
    call.json(
        200,
        out ->
            out.object(
                o -> {
                  o.flag("dryRun", true)
                      .text("eventType", message.eventType())
                      .textOrNull("routeId", idText(ofAll))
                      .array("deliveries", previews, DryRunCalls::write);
                  if (!warnings.isEmpty()) {
                    Errors.problems(o, "warnings", warnings);
                  }
                }));
  }

  /** Whether an endpoint or a queue is subscribed to that type and those channels. */
  boolean anyTakes(
      String environmentId, String application, String eventType, List<String> channels) {
    Routing routing = routing(environmentId, application);
    return routing.active()
        && routing.targets().stream().anyMatch(target -> target.takes(eventType, channels));
  }

  private Routing routing(String environmentId, String application) {
    Routing routing = dryRuns.routing(environmentId, application);
    if (routing == null) {
      throw ApiError.notFound("application");
    }
    return routing;
  }

  private void refuseTakenEventId(Id applicationId, @Nullable String eventId) {
    Message first =
        eventId == null ? null : messages.find(new ApplicationId(applicationId), eventId, false);
    if (first != null && first.eventId() != null && first.eventId().equals(eventId)) {
      throw MessageSends.refusal(new AcceptResult.EventIdTaken(first.id()));
    }
  }

  private static @Nullable String idText(@Nullable AgentRoute route) {
    return route == null ? null : route.id().text();
  }

  private static void write(JsonOut out, DryRuns.Preview preview) {
    Endpoint endpoint = preview.endpoint();
    out.text("endpointId", EndpointCalls.idText(endpoint))
        .textOrNull("endpointUid", endpoint.spec().get(EndpointFields.UID))
        .textOrNull("routeId", idText(preview.route()));
    switch (preview.outcome()) {
      case Outcome.Failed(String error) -> out.text("outcome", "error").text("error", error);
      case Outcome.Filtered _ -> out.text("outcome", "filtered");
      case Outcome.Canceled _ -> out.text("outcome", "canceled");
      case Outcome.Sent sent -> {
        String type = sent.contentType();
        out.text("outcome", "send")
            .text("url", endpoint.spec().get(EndpointFields.URL))
            .textOrNull("path", sent.path())
            .text("method", sent.method())
            .text("contentType", type == null ? "application/json" : type)
            .textsByName("headers", sent.headers())
            .textOrNull("sessionId", sent.sessionId());
        if (sent.transformError() != null) {
          out.text("transformError", sent.transformError());
        }
        PayloadOut.write(out, "body", sent.body(), type);
      }
    }
  }
}
