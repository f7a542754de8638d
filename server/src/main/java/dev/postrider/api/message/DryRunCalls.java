package dev.postrider.api.message;

import dev.postrider.api.endpoint.EndpointCalls;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Errors;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.accept.Refusals;
import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.delivery.shape.Shape;
import dev.postrider.delivery.shape.Shaping;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRoutes;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.RouteTarget;
import dev.postrider.endpoint.Routing;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Problem;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Message;
import dev.postrider.message.MessageReader;
import dev.postrider.message.NewMessage;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The API call for the dry run of a message: it stores and sends nothing. */
final class DryRunCalls {
  private final RoutingCache routings;
  private final EndpointStore endpoints;
  private final MessageReader messages;
  private final Shaping shaping;
  private final TimeSource time;

  DryRunCalls(
      RoutingCache routings,
      EndpointStore endpoints,
      MessageReader messages,
      Shaping shaping,
      TimeSource time) {
    this.routings = routings;
    this.endpoints = endpoints;
    this.messages = messages;
    this.shaping = shaping;
    this.time = time;
  }

  /** What one endpoint would receive. */
  private record Plan(
      Endpoint endpoint,
      @Nullable AgentRoute route,
      Shaping.@Nullable Result result,
      @Nullable String error) {}

  void answer(Call call, NewMessage message, List<Problem> warnings) {
    Routing routing = routing(message.environmentId(), message.application());
    AcceptResult refused = Refusals.of(routing, message);
    if (refused != null) {
      throw MessageSends.refusal(refused);
    }
    refuseTakenEventId(routing.applicationId(), message.eventId());
    AgentRoutes.OfMessage routes = routing.routesOf(message.eventType());
    List<Plan> plans = new ArrayList<>();
    for (RouteTarget target : routing.targets()) {
      if (target.takes(message.eventType(), message.channels())) {
        Endpoint endpoint =
            endpoints.find(routing.applicationId(), target.endpointId().text(IdKind.ENDPOINT));
        if (endpoint != null) {
          plans.add(plan(endpoint, routing, message, routes.to(target.endpointId())));
        }
      }
    }
    call.json(
        200,
        out ->
            out.object(
                o -> {
                  o.flag("dryRun", true)
                      .text("eventType", message.eventType())
                      .textOrNull("routeId", idText(routes.forAll()))
                      .array("deliveries", plans, (item, plan) -> write(item, plan, message));
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

  /** Never from the cache: a user of the dry run has often just changed something. */
  private Routing routing(String environmentId, String application) {
    Routing known = routings.get(environmentId, application);
    Routing routing =
        known == null ? null : routings.reload(environmentId, application, known.version());
    if (routing == null) {
      throw ApiError.notFound("application");
    }
    return routing;
  }

  private void refuseTakenEventId(Id applicationId, @Nullable String eventId) {
    Message first = eventId == null ? null : messages.find(applicationId, eventId, false);
    if (first != null && first.eventId() != null && first.eventId().equals(eventId)) {
      throw MessageSends.refusal(new AcceptResult.EventIdTaken(first.id()));
    }
  }

  private Plan plan(
      Endpoint endpoint, Routing routing, NewMessage message, @Nullable AgentRoute route) {
    Id id = Id.floorOf(time.nowMs());
    String source = routing.uid();
    try {
      return new Plan(
          endpoint,
          route,
          shaping.of(
              new Shaping.Subject(
                  routing.applicationId(),
                  id,
                  DeliveryIds.of(id, endpoint.id(), Id.ZERO),
                  message.eventType(),
                  message.contentType(),
                  message.payload(),
                  message.headers(),
                  source == null ? "" : source,
                  route,
                  null),
              endpoint.spec().get(EndpointFields.FILTER),
              EndpointConfig.Transform.of(endpoint.spec().values())),
          null);
    } catch (ExpressionFailed e) {
      return new Plan(endpoint, route, null, e.getMessage());
    } catch (EvaluationBusy e) {
      throw ApiError.unavailable(String.valueOf(e.getMessage()), Duration.ofSeconds(1));
    }
  }

  private static @Nullable String idText(@Nullable AgentRoute route) {
    return route == null ? null : route.id().text(IdKind.ROUTE);
  }

  private static void write(JsonOut out, Plan plan, NewMessage message) {
    out.text("endpointId", EndpointCalls.idText(plan.endpoint()))
        .textOrNull("endpointUid", plan.endpoint().spec().get(EndpointFields.UID))
        .textOrNull("routeId", idText(plan.route()));
    switch (plan.result()) {
      case null -> out.text("outcome", "error").text("error", String.valueOf(plan.error()));
      case Shaping.Result.Filtered _ -> out.text("outcome", "filtered");
      case Shaping.Result.Canceled _ -> out.text("outcome", "canceled");
      case Shaping.Result.Shaped(byte[] body, Shape shape, String session, String error) -> {
        String type = shape.contentType() == null ? message.contentType() : shape.contentType();
        String method =
            shape.method() == null
                ? plan.endpoint().spec().get(EndpointFields.METHOD)
                : shape.method();
        out.text("outcome", "send")
            .text("url", plan.endpoint().spec().get(EndpointFields.URL))
            .textOrNull("path", shape.path())
            .text("method", method)
            .text("contentType", type == null ? "application/json" : type)
            .textsByName("headers", shape.headers())
            .textOrNull("sessionId", session);
        if (error != null) {
          out.text("transformError", error);
        }
        byte[] sent = Shape.sentBody(method, body == null ? message.payload() : body);
        PayloadOut.write(out, "body", sent, type);
      }
    }
  }
}
