package dev.postrider.delivery.shape;

import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.JsonBytes;
import dev.postrider.expression.Value;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.json.Times;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Applies the filter of an endpoint, an agent route and a transform to a message. Independent of
 * the database: the same for a send and for a dry run.
 */
public final class Shaping {
  private final Expressions expressions;

  public Shaping(Expressions expressions) {
    this.expressions = expressions;
  }

  /**
   * A message for one endpoint.
   *
   * @param applicationId the owner for the fair share of the evaluation threads
   * @param headers the message's own, as a JSON object
   * @param route its agent route
   * @param sessionId if it is already known
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  public record Subject(
      Id applicationId,
      Id messageId,
      Id deliveryId,
      String eventType,
      @Nullable String contentType,
      byte[] payload,
      @Nullable String headers,
      String source,
      @Nullable AgentRoute route,
      @Nullable String sessionId) {}

  /** The result of applying filter, route and transform to a message. */
  public sealed interface Result {
    /** The filter of the endpoint rejected the message. */
    record Filtered() implements Result {}

    /** The transform of the endpoint called {@code $cancel()}. */
    record Canceled() implements Result {}

    /**
     * To be sent.
     *
     * @param body null if it is the payload as it is
     * @param transformError why the transform failed, if the message is sent without it
     */
    @SuppressWarnings("ArrayRecordComponent") // carried, never compared
    record Shaped(
        byte @Nullable [] body,
        Shape shape,
        @Nullable String sessionId,
        @Nullable String transformError)
        implements Result {

      Shaped(byte @Nullable [] body, Shape shape, @Nullable String sessionId) {
        this(body, shape, sessionId, null);
      }
    }
  }

  /**
   * @param filter null for none
   * @param transform null for none
   * @throws ExpressionFailed if one of them fails for this message
   */
  public Result of(
      Subject subject, @Nullable String filter, EndpointConfig.@Nullable Transform transform) {
    Map<String, @Nullable Object> context = context(subject);
    if (filter != null && !named("filter", () -> evaluate(subject, filter, context)).isTrue()) {
      return new Result.Filtered();
    }
    AgentRoute route = subject.route();
    String session = route == null ? null : session(subject, route, context);
    if (transform == null) {
      return original(subject, session, null);
    }
    if (route != null) {
      context.put("agent_intent", route.instructions().agentIntent());
      context.put("target_session", route.instructions().targetSession());
      context.put("session_id", session);
      context.put("annotations", route.instructions().annotations());
    }
    try {
      return named(
          "transform",
          () -> transformed(subject, evaluate(subject, transform.expression(), context), session));
    } catch (ExpressionFailed e) {
      if (!transform.sendsOriginalOnError()) {
        throw e;
      }
      return original(subject, session, e.getMessage());
    }
  }

  /** What is sent without a transform; after one that failed, retries must send the same. */
  private static Result original(
      Subject subject, @Nullable String session, @Nullable String transformError) {
    AgentRoute route = subject.route();
    return route == null
        ? new Result.Shaped(
            transformError == null ? null : subject.payload(), Shape.NONE, null, transformError)
        : new Result.Shaped(
            Envelope.of(subject, route, session),
            new Shape(null, null, "application/json", Map.of()),
            session,
            transformError);
  }

  /**
   * The value of an expression over a message, as filters see it.
   *
   * @throws ExpressionFailed if it fails for this message
   */
  public Value evaluate(Subject subject, String expression) {
    return evaluate(subject, expression, context(subject));
  }

  private Value evaluate(
      Subject subject, String expression, Map<String, @Nullable Object> context) {
    return expressions.ownedBy(subject.applicationId()).evaluate(expression, context);
  }

  private interface Step<T> {
    T run();
  }

  /** An error contains the name of the expression. */
  private static <T> T named(String field, Step<T> step) {
    try {
      return step.run();
    } catch (ExpressionFailed e) {
      throw new ExpressionFailed(field + ": " + e.getMessage());
    }
  }

  private static Map<String, @Nullable Object> context(Subject subject) {
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    context.put("payload", Envelope.value(subject.payload(), subject.contentType()));
    context.put("headers", headers(subject.headers()));
    context.put("event_type", subject.eventType());
    context.put("message_id", subject.messageId().text(IdKind.MESSAGE));
    context.put("delivery_id", subject.deliveryId().text(IdKind.DELIVERY));
    context.put("timestamp", Times.text(subject.messageId().epochMs()));
    context.put("source", subject.source());
    return context;
  }

  /** By their names in lower case. */
  private static Map<String, @Nullable Object> headers(@Nullable String json) {
    Map<String, @Nullable Object> headers = new LinkedHashMap<>();
    if (json != null && Json.MAPPER.readValue(json, Object.class) instanceof Map<?, ?> given) {
      given.forEach(
          (name, value) -> {
            String lower = String.valueOf(name).toLowerCase(Locale.ROOT);
            if (!lower.startsWith(":")) { // metadata that the gateway stored next to them
              headers.put(lower, value);
            }
          });
    }
    return headers;
  }

  /** From the expression of the route, else from its header, else the target session. */
  private @Nullable String session(
      Subject subject, AgentRoute route, Map<String, @Nullable Object> context) {
    if (subject.sessionId() != null) {
      return subject.sessionId();
    }
    String text = route.instructions().sessionExpression();
    if (text != null) {
      Value value = named("session", () -> evaluate(subject, text, context));
      if (value instanceof Value.Plain plain && plain.value() != null) {
        return short256(String.valueOf(plain.value()));
      }
      return route.instructions().targetSession();
    }
    String byHeader = sessionOf(route, subject.headers());
    return byHeader == null ? route.instructions().targetSession() : byHeader;
  }

  /** The session id in the header of the route, if the message has it. */
  public static @Nullable String sessionOf(AgentRoute route, @Nullable String headers) {
    String name = route.instructions().sessionHeader();
    if (name == null) {
      return null;
    }
    Object value = headers(headers).get(name.toLowerCase(Locale.ROOT));
    return value instanceof String text && !text.isBlank() ? short256(text) : null;
  }

  private static String short256(String text) {
    return text.length() > 256 ? text.substring(0, 256) : text;
  }

  private static Result transformed(Subject subject, Value value, @Nullable String session) {
    return switch (value) {
      case Value.Absent _ ->
          throw new ExpressionFailed(
              "the expression has no result; use $cancel() to cancel the delivery on purpose");
      case Value.Cancel _ -> new Result.Canceled();
      case Value.Plain plain -> shaped(subject, plain.value(), Shape.NONE, session);
      case Value.Request request -> request(subject, request.parts(), session);
    };
  }

  private static Result request(
      Subject subject, Map<String, @Nullable Object> parts, @Nullable String session) {
    String contentType = null;
    Map<String, String> headers = new LinkedHashMap<>();
    for (Map.Entry<String, @Nullable Object> part : parts.entrySet()) {
      switch (part.getKey()) {
        case "body", "method", "path" -> {}
        case "headers" -> {
          if (!(part.getValue() instanceof Map<?, ?> given)) {
            throw new ExpressionFailed("headers: must be an object with string values");
          }
          given.forEach((name, value) -> headers.put(String.valueOf(name), String.valueOf(value)));
        }
        default ->
            throw new ExpressionFailed(
                part.getKey() + ": unknown field of $request; use body, headers, method or path");
      }
    }
    for (String name : java.util.List.copyOf(headers.keySet())) {
      if (name.equalsIgnoreCase("content-type")) {
        contentType = headers.remove(name);
      }
    }
    Shape shape = new Shape(text(parts, "method"), text(parts, "path"), contentType, headers);
    shape.check();
    if (!parts.containsKey("body")) {
      return new Result.Shaped(subject.payload(), shape, session);
    }
    return shaped(subject, parts.get("body"), shape, session);
  }

  private static @Nullable String text(Map<String, @Nullable Object> parts, String name) {
    Object value = parts.get(name);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw new ExpressionFailed(name + ": must be a string");
  }

  /** A string is sent as it is, everything else as JSON; the content type follows. */
  private static Result shaped(
      Subject subject, @Nullable Object body, Shape shape, @Nullable String session) {
    boolean wasJson = Json.isType(subject.contentType());
    if (body instanceof String text) {
      byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
      if (bytes.length > ExpressionLimits.DEFAULT.outputBytes()) {
        throw new ExpressionFailed(
            "the result is larger than " + ExpressionLimits.DEFAULT.outputBytes() + " bytes");
      }
      return new Result.Shaped(
          bytes, typed(shape, wasJson ? "text/plain; charset=utf-8" : null), session);
    }
    byte[] bytes = JsonBytes.write(body, ExpressionLimits.DEFAULT.outputBytes());
    return new Result.Shaped(bytes, typed(shape, wasJson ? null : "application/json"), session);
  }

  private static Shape typed(Shape shape, @Nullable String contentType) {
    return shape.contentType() != null || contentType == null
        ? shape
        : new Shape(shape.method(), shape.path(), contentType, shape.headers());
  }
}
