package dev.postrider.engine.services;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.accept.Refusals;
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
import dev.postrider.expression.Expressions;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a message would cause: nothing is stored and nothing is sent. */
public final class DryRuns {
  private final Routing.Source routings;
  private final EndpointStore endpoints;
  private final Shaping shaping;
  private final TimeSource time;

  public DryRuns(
      Routing.Source routings, EndpointStore endpoints, Expressions expressions, TimeSource time) {
    this.routings = routings;
    this.endpoints = endpoints;
    this.shaping = new Shaping(expressions);
    this.time = time;
  }

  /** What one endpoint would receive. */
  public record Preview(Endpoint endpoint, @Nullable AgentRoute route, Outcome outcome) {}

  /** The result for one endpoint. */
  public sealed interface Outcome {
    /** The filter rejects the message. */
    record Filtered() implements Outcome {}

    /** The transform cancels the delivery. */
    record Canceled() implements Outcome {}

    /** The filter or the transform fails. */
    record Failed(String error) implements Outcome {}

    /**
     * The request that would be sent.
     *
     * @param path null for that of the endpoint
     * @param contentType null if the message has none
     * @param transformError why the transform failed, if the message is sent without it
     */
    @SuppressWarnings("ArrayRecordComponent") // written once
    record Sent(
        String method,
        @Nullable String path,
        @Nullable String contentType,
        Map<String, String> headers,
        @Nullable String sessionId,
        @Nullable String transformError,
        byte[] body)
        implements Outcome {}
  }

  /**
   * Null if there is no such application. Never from the cache: a user of the dry run has often
   * just changed something.
   */
  public @Nullable Routing routing(String environmentId, String application) {
    return routings.current(environmentId, application);
  }

  /** Why the application would not accept the message; null if it would. */
  public @Nullable AcceptResult refusal(Routing routing, NewMessage message) {
    return Refusals.of(routing, message);
  }

  /**
   * For each endpoint that is subscribed to the message.
   *
   * @throws EvaluationBusy if filters and transforms cannot be evaluated now
   */
  public List<Preview> previews(Routing routing, NewMessage message) {
    AgentRoutes.OfMessage routes = routing.routesOf(message.eventType());
    List<Preview> previews = new ArrayList<>();
    for (RouteTarget target : routing.targets()) {
      if (target.takes(message.eventType(), message.channels())) {
        Endpoint endpoint =
            endpoints.find(
                new ApplicationId(routing.applicationId()),
                target.endpointId().text(IdKind.ENDPOINT));
        if (endpoint != null) {
          AgentRoute route = routes.to(new EndpointId(target.endpointId()));
          previews.add(new Preview(endpoint, route, outcome(endpoint, routing, message, route)));
        }
      }
    }
    return previews;
  }

  private Outcome outcome(
      Endpoint endpoint, Routing routing, NewMessage message, @Nullable AgentRoute route) {
    Id id = Id.floorOf(time.nowMs());
    String source = routing.uid();
    try {
      Shaping.Result result =
          shaping.of(
              new Shaping.Subject(
                  routing.applicationId(),
                  id,
                  DeliveryIds.of(id, endpoint.id().value(), Id.ZERO),
                  message.eventType(),
                  message.contentType(),
                  message.payload(),
                  message.headers(),
                  source == null ? "" : source,
                  route,
                  null),
              endpoint.spec().get(EndpointFields.FILTER),
              EndpointConfig.Transform.of(endpoint.spec().values()));
      return switch (result) {
        case Shaping.Result.Filtered _ -> new Outcome.Filtered();
        case Shaping.Result.Canceled _ -> new Outcome.Canceled();
        case Shaping.Result.Shaped shaped -> sent(endpoint, message, shaped);
      };
    } catch (ExpressionFailed e) {
      return new Outcome.Failed(String.valueOf(e.getMessage()));
    }
  }

  private static Outcome sent(Endpoint endpoint, NewMessage message, Shaping.Result.Shaped shaped) {
    Shape shape = shaped.shape();
    String method =
        shape.method() == null ? endpoint.spec().get(EndpointFields.METHOD) : shape.method();
    byte[] body = shaped.body();
    return new Outcome.Sent(
        method,
        shape.path(),
        shape.contentType() == null ? message.contentType() : shape.contentType(),
        shape.headers(),
        shaped.sessionId(),
        shaped.transformError(),
        Shape.sentBody(method, body == null ? message.payload() : body));
  }
}
