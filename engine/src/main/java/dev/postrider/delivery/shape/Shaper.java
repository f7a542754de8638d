package dev.postrider.delivery.shape;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.ForwardedHeaders;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Applies filters, transforms and routes to deliveries before their first attempt and stores the
 * result in their rows, so that every retry sends the same bytes (engine rule 19). Called only for
 * endpoints that have an expression or forward headers, or whose application has routes.
 */
public final class Shaper {
  private static final System.Logger LOG = System.getLogger(Shaper.class.getName());
  private static final int MAX_DETAIL = 1_000;
  private static final RetryPolicy AGENT_POLICY =
      RetryPolicy.parse(AgentRoute.Profile.AGENT_SCHEDULE);

  /** The result of shaping a delivery: send it, end it, or release it. */
  public sealed interface Decision {
    /**
     * It is sent with this shape.
     *
     * @param retry the retry schedule of its route; null means that of the endpoint
     */
    @SuppressWarnings("ArrayRecordComponent") // carried, never compared
    record Send(byte[] body, Shape shape, @Nullable RetryPolicy retry) implements Decision {}

    /**
     * The delivery ends without an attempt: the filter or the transform canceled it, or an
     * expression failed.
     */
    record End(DeliveryEvent event, EndReason reason) implements Decision {}

    /**
     * The delivery is released and retried later, because no thread was free to evaluate its
     * expressions.
     */
    record Later() implements Decision {}

    /** This instance lost the lease, so nothing is stored and nothing is sent. */
    record Lost() implements Decision {}
  }

  private final Shaping shaping;
  private final ShapeStore store;
  private final AgentRouteStore routes;
  private final DeliveryListener listener;

  public Shaper(
      Shaping shaping, ShapeStore store, AgentRouteStore routes, DeliveryListener listener) {
    this.shaping = shaping;
    this.store = store;
    this.routes = routes;
    this.listener = listener;
  }

  /** Of a delivery that needs no expression: the headers that every endpoint gets, if any. */
  public static Decision.@Nullable Send forwarded(
      Delivery delivery, EndpointConfig config, byte[] body) {
    Delivery.Extras extras = delivery.extras();
    if (extras == null || extras.headers() == null) {
      return null;
    }
    Map<String, String> headers =
        ForwardedHeaders.of(List.of(), extras.headers(), config.request().headers().keySet());
    return headers.isEmpty()
        ? null
        : new Decision.Send(body, new Shape(null, null, null, headers), null);
  }

  public Decision decide(Delivery delivery, EndpointConfig config) {
    ShapeStore.Stored stored = store.load(delivery);
    if (stored == null) {
      return new Decision.Lost();
    }
    AgentRoute route = stored.route() == null ? resent(delivery, config, stored) : stored.route();
    RetryPolicy retry =
        route != null && route.instructions().profile() == AgentRoute.Profile.AGENT
            ? AGENT_POLICY
            : null;
    if (delivery.body() != null) {
      return new Decision.Send(delivery.body(), Shape.decode(stored.shape()), retry);
    }
    byte[] payload = delivery.payload();
    if (payload == null) {
      return new Decision.End(DeliveryEvent.PAYLOAD_EXPIRED, EndReason.PAYLOAD_EXPIRED);
    }
    try {
      Shaping.Subject subject =
          new Shaping.Subject(
              delivery.applicationId(),
              delivery.messageId(),
              delivery.id(),
              delivery.eventType(),
              delivery.content().contentType(),
              payload,
              stored.headers(),
              stored.source(),
              route,
              stored.sessionId());
      // A resend was requested by a user, so filters do not apply, and a disabled endpoint gets
      // it too.
      boolean filtered = !delivery.manual() && delivery.failedBefore() == 0;
      return decided(
          delivery,
          forwarding(
              config,
              stored.headers(),
              shaping.of(
                  subject,
                  filtered ? config.get(EndpointFields.FILTER) : null,
                  config.transform())),
          payload,
          route,
          retry);
    } catch (ExpressionFailed e) {
      return failed(delivery, String.valueOf(e.getMessage()));
    } catch (EvaluationBusy e) {
      LOG.log(Level.WARNING, "a delivery is postponed: {0}", e.getMessage());
      return new Decision.Later();
    }
  }

  /**
   * With the headers of the message that the endpoint forwards; those of a transform take
   * precedence.
   */
  public static Shaping.Result forwarding(
      EndpointConfig config, @Nullable String messageHeaders, Shaping.Result result) {
    if (!(result
        instanceof Shaping.Result.Shaped(byte[] body, Shape shape, String session, String error))) {
      return result;
    }
    Set<String> taken = new HashSet<>(config.request().headers().keySet());
    taken.addAll(shape.headers().keySet());
    Map<String, String> headers =
        new LinkedHashMap<>(
            ForwardedHeaders.of(config.get(EndpointFields.FORWARD_HEADERS), messageHeaders, taken));
    if (headers.isEmpty()) {
      return result;
    }
    headers.putAll(shape.headers());
    return new Shaping.Result.Shaped(
        body,
        new Shape(shape.method(), shape.path(), shape.contentType(), headers),
        session,
        error);
  }

  /** A resend was not planned with the routes; it uses the current one. */
  private @Nullable AgentRoute resent(
      Delivery delivery, EndpointConfig config, ShapeStore.Stored stored) {
    return delivery.manual() && config.shape().routed()
        ? routes
            .of(new ApplicationId(delivery.applicationId()))
            .of(stored.source(), delivery.eventType())
            .to(new EndpointId(delivery.laneId()))
        : null;
  }

  private Decision decided(
      Delivery delivery,
      Shaping.Result result,
      byte[] payload,
      @Nullable AgentRoute route,
      @Nullable RetryPolicy retry) {
    return switch (result) {
      case Shaping.Result.Filtered _ -> new Decision.End(DeliveryEvent.CANCEL, EndReason.FILTERED);
      case Shaping.Result.Canceled _ -> new Decision.End(DeliveryEvent.CANCEL, EndReason.TRANSFORM);
      case Shaping.Result.Shaped(byte[] body, Shape shape, String session, String error) -> {
        if (body == null) {
          yield new Decision.Send(payload, shape, retry);
        }
        boolean held =
            store.fixIfHeld(
                delivery,
                body,
                shape.encode(),
                route == null ? null : route.id().value(),
                session,
                error == null ? null : shortened(error));
        if (held && error != null) {
          listener.sentUntransformed(delivery, error);
        }
        yield held ? new Decision.Send(body, shape, retry) : new Decision.Lost();
      }
    };
  }

  private Decision failed(Delivery delivery, String why) {
    store.explainIfHeld(delivery, shortened(why));
    return new Decision.End(DeliveryEvent.EXPRESSION_ERROR, EndReason.EXPRESSION);
  }

  private static String shortened(String why) {
    return why.length() > MAX_DETAIL ? why.substring(0, MAX_DETAIL) : why;
  }
}
