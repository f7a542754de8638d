package dev.postrider.api.message;

import dev.postrider.api.form.Limits;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.IdempotencyKeys;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.id.Id;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.NewMessage;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Handles the request that sends a message, the most frequent one. Validates everything before the
 * message joins a batch.
 */
final class MessageSends {
  private static final long HOUR_MS = Duration.ofHours(1).toMillis();

  private final ApplicationLookup applications;
  private final Acceptor acceptor;
  private final DryRunCalls dryRuns;
  private final TimeSource time;

  MessageSends(
      ApplicationLookup applications, Acceptor acceptor, DryRunCalls dryRuns, TimeSource time) {
    this.applications = applications;
    this.acceptor = acceptor;
    this.dryRuns = dryRuns;
    this.time = time;
  }

  void create(Call call) throws IOException {
    boolean withContent = call.query().flag("with_content", true);
    String application = application(call);
    byte[] bytes = call.body();
    MessageBody body = MessageBody.parse(bytes);
    call.ignored(body.unknown());
    Long deliverAt = deliverAt(body, time.nowMs());
    if (call.query().flag("dryRun", false)) {
      tryOut(call, message(call, application, body, null));
      return;
    }
    NewMessage message = message(call, application, body, IdempotencyKeys.forSend(call, bytes));
    AcceptResult.Accepted accepted = accepted(accept(call, message, body));
    call.json(202, MessageOut.accepted(accepted, body, withContent, deliverAt));
  }

  /** Whether an endpoint or queue is subscribed to that type and those channels. */
  void precheck(Call call) throws IOException {
    Application application = applications.inPath(call);
    Fields fields = call.fields();
    String type = fields.requiredText("eventType", Limits.EVENT_TYPE_RULE);
    List<String> channels =
        fields.texts("channels", 0, Limits.MESSAGE_CHANNELS, Limits.CHANNEL_RULE);
    fields.check();
    boolean active =
        dryRuns.anyTakes(
            call.environmentId(),
            ApplicationLookup.idText(application),
            type,
            channels == null ? List.of() : channels);
    call.json(200, out -> out.object(o -> o.flag("active", active)));
  }

  /**
   * Rejects a broadcast that would have no deliveries in any application. Checks a limited number
   * of applications, and accepts the message if none of these is subscribed.
   */
  void refuseIfForNobody(Call call, MessageBody body) {
    String environment = call.environmentId();
    RuntimeException why = noReceiver("the environment has no active application");
    Keyset<Id> part = new Keyset<>(Keyset.MAX_LIMIT, null, false, true);
    for (int looked = 0; looked < Limits.BROADCAST_LOOKED_AT; looked += Keyset.MAX_LIMIT) {
      Keyset.Page<Application> page = applications.page(environment, part);
      for (Application application : page.items()) {
        if (application.spec().active()) {
          String name = ApplicationLookup.idText(application);
          AcceptResult refused = acceptor.look(message(call, name, body, null)).refused();
          if (refused != null) {
            why = refusal(refused);
          } else if (dryRuns.anyTakes(environment, name, body.eventType(), body.channels())) {
            return;
          } else {
            why =
                noReceiver(
                    "no endpoint or queue is subscribed to this event type and these channels");
          }
        }
      }
      if (page.done()) {
        throw why;
      }
      part = new Keyset<>(Keyset.MAX_LIMIT, page.items().getLast().id().value(), false, true);
    }
  }

  private static ApiError noReceiver(String why) {
    return new ApiError(400, "no_receiver", why + ": the message would have no deliveries");
  }

  /** The reasons to reject a send apply here too. */
  private void tryOut(Call call, NewMessage message) {
    Acceptor.Look look = acceptor.look(message);
    if (look.refused() != null) {
      throw refusal(look.refused());
    }
    dryRuns.answer(call, message, look.warnings());
  }

  /** The message for the acceptor. */
  NewMessage message(
      Call call, String application, MessageBody body, @Nullable IdempotencyKey key) {
    return new NewMessage(
        call.environmentId(),
        application,
        body.eventType(),
        body.eventId(),
        body.channels(),
        body.tags(),
        body.payload(),
        body.contentType(),
        body.headers(),
        expiresAt(body),
        new NewMessage.Schedule(deliverAt(body, time.nowMs()), body.maxRetries()),
        key);
  }

  /** From the path; a database lookup is needed only for a key of an application. */
  private String application(Call call) {
    return call.key().applicationId() == null
        ? call.path("application")
        : ApplicationLookup.idText(applications.inPath(call));
  }

  private AcceptResult accept(Call call, NewMessage message, MessageBody body) {
    AcceptResult result = acceptor.accept(message);
    byte[] described = body.application();
    if (!(result instanceof AcceptResult.NoSuchApplication) || described == null) {
      return result;
    }
    applications.ensure(
        call.environmentId(),
        call.path("application"),
        Fields.within("application", described, call::ignored));
    return acceptor.accept(message);
  }

  /** The requested delivery time; null means now. */
  static @Nullable Long deliverAt(MessageBody body, long now) {
    Long at = body.deliverAtMs();
    if (at == null || at <= now) {
      return null;
    }
    if (at > now + Limits.DELIVER_AHEAD.toMillis()) {
      throw new InvalidFields(
          Problem.inBody(
              "deliverAt",
              "may be at most " + Limits.DELIVER_AHEAD.toDays() + " days in the future"));
    }
    return at;
  }

  private @Nullable Long expiresAt(MessageBody body) {
    Long hours = body.retentionHours();
    return hours == null ? null : time.nowMs() + hours * HOUR_MS;
  }

  /**
   * The accepted message.
   *
   * @throws RuntimeException which becomes the error response, if it was not accepted
   */
  static AcceptResult.Accepted accepted(AcceptResult result) {
    if (result instanceof AcceptResult.Accepted accepted) {
      return accepted;
    }
    throw refusal(result);
  }

  /** The error response to a message that was not accepted. */
  static RuntimeException refusal(AcceptResult result) {
    return switch (result) {
      case AcceptResult.Accepted _ -> new IllegalArgumentException("the message was accepted");
      case AcceptResult.NoSuchApplication _ -> ApiError.notFound("application");
      case AcceptResult.ApplicationInactive _ ->
          new ApiError(
              403,
              "application_inactive",
              "the application is not active; set active to true first");
      case AcceptResult.EventIdTaken taken ->
          ApiError.conflict(
              "the application already has a message with this eventId: " + taken.first().text());
      case AcceptResult.KeyReused _ ->
          ApiError.conflict(
              "the idempotency-key was used with a different body; use a new key for a new"
                  + " message");
      case AcceptResult.TooMany many ->
          ApiError.tooMany(
              "rate limit exceeded: the application may send "
                  + many.perSecond()
                  + " messages per second",
              many.retryAfter());
      case AcceptResult.TooLarge large -> ApiError.payloadTooLarge(large.maxBytes());
      case AcceptResult.Refused refused ->
          ApiError.unavailable(refused.why(), refused.retryAfter());
      case AcceptResult.Unfit unfit -> new InvalidFields(unfit.problems());
      case AcceptResult.Invalid invalid ->
          new InvalidFields(new Problem(List.of("body"), invalid.why(), Problem.VALUE));
    };
  }
}
