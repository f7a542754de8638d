package dev.postrider.api.message;

import dev.postrider.api.endpoint.AlertUrls;
import dev.postrider.api.endpoint.EndpointCalls;
import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.Statuses;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.Attempt;
import dev.postrider.delivery.AttemptFilter;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.delivery.command.Redrive.ResendResult;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.ContentStore;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.id.AttemptId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.id.MessageId;
import dev.postrider.json.Json;
import dev.postrider.message.Message;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The API calls for attempts, and resends of messages. */
final class AttemptCalls {
  private static final List<Integer> CLASSES = List.of(0, 100, 200, 300, 400, 500);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final ApplicationLookup applications;
  private final EndpointLookup endpoints;
  private final MessageLookup messages;
  private final AttemptReader reader;
  private final DeliveryReader deliveries;
  private final Redrive redrive;
  private final ContentStore content;
  private final Ids ids;

  AttemptCalls(
      ApplicationLookup applications,
      EndpointLookup endpoints,
      MessageHistory history,
      Redrive redrive,
      Ids ids) {
    this.applications = applications;
    this.endpoints = endpoints;
    this.messages = history.lookup();
    this.reader = history.attempts();
    this.deliveries = history.deliveries();
    this.redrive = redrive;
    this.content = history.content();
    this.ids = ids;
  }

  void ofMessage(Call call) {
    Application application = applications.inPath(call);
    Message message = messages.inPath(call, application, false);
    String name = call.query().text("endpoint_id", Limits.UID_RULE);
    Endpoint endpoint = name == null ? null : endpoints.named(application, name);
    list(call, application, message.id().value(), endpoint == null ? null : endpoint.id().value());
  }

  void ofEndpoint(Call call) {
    Application application = applications.inPath(call);
    list(call, application, null, endpoints.inPath(call, application).id().value());
  }

  /** The older form: the endpoint is in the path. */
  void ofMessageAndEndpoint(Call call) {
    Application application = applications.inPath(call);
    Message message = messages.inPath(call, application, false);
    list(call, application, message.id().value(), endpoints.inPath(call, application).id().value());
  }

  private void list(
      Call call, Application application, @Nullable Id messageId, @Nullable Id laneId) {
    Query query = call.query();
    Integer status = query.oneOf("status", Statuses.ALL);
    AttemptFilter filter = filter(query, status, messageId, laneId);
    Keyset<Id> keyset = query.page(text -> Id.parse(IdKind.ATTEMPT, text), false);
    boolean possible = possible(status);
    Keyset.Page<Attempt> page =
        possible
            ? reader.list(application.id(), filter, keyset)
            : new Keyset.Page<>(List.of(), true);
    boolean withContent = query.flag("with_content", true);
    Map<MessageId, Message> shown =
        query.flag("with_msg", false)
            ? messages.all(
                application,
                page.items().stream().map(attempt -> new MessageId(attempt.messageId())).toList())
            : Map.of();
    call.json(
        200,
        Pages.page(
            page,
            AttemptCalls::idText,
            (out, attempt) -> {
              write(out, attempt, shownUrl(call, application, attempt), true, withContent);
              Message message = shown.get(new MessageId(attempt.messageId()));
              if (message != null) {
                out.object("msg", o -> MessageOut.write(o, message, withContent));
              }
            }));
  }

  private static AttemptFilter filter(
      Query query, @Nullable Integer status, @Nullable Id messageId, @Nullable Id laneId) {
    return new AttemptFilter(
        MessageId.orNull(messageId),
        laneId,
        status == null ? null : status == Statuses.SUCCESS,
        query.oneOf("status_code_class", CLASSES),
        query.text("channel", Limits.CHANNEL_RULE),
        query.text("tag", Limits.TAG_RULE),
        query.eventTypes(),
        query.time("before"),
        query.time("after"));
  }

  /** An attempt is recorded when it has finished: none of them is pending. */
  private static boolean possible(@Nullable Integer status) {
    return status == null || status == Statuses.SUCCESS || status == Statuses.FAIL;
  }

  /** The number of attempts in the list, counted among the newest. */
  void count(Call call) {
    Query query = call.query();
    Integer status = query.oneOf("status", Statuses.ALL);
    Application application = applications.inPath(call);
    AttemptFilter filter =
        filter(query, status, null, endpoints.inPath(call, application).id().value());
    AttemptReader.Count count =
        possible(status)
            ? reader.count(application.id(), filter, Limits.COUNTED_ATTEMPTS)
            : new AttemptReader.Count(0, false);
    call.json(
        200,
        out ->
            out.object(o -> o.number("count", count.count()).flag("approximated", count.more())));
  }

  /** The sent request and the stored part of the response; response headers are not stored. */
  void headers(Call call) {
    Attempt attempt = inPath(call, applications.inPath(call));
    String sent = attempt.sentHeaders();
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.raw("sentHeaders", sent == null ? "{}" : sent)
                        .textOrNull("responseHeaders", null)
                        .texts("sensitive", masked(sent))));
  }

  /** The headers whose values are not shown. */
  private static List<String> masked(@Nullable String headers) {
    return headers == null
        ? List.of()
        : Json.texts(headers).entrySet().stream()
            .filter(header -> header.getValue().equals(HeaderRules.MASK))
            .map(Map.Entry::getKey)
            .toList();
  }

  private Attempt inPath(Call call, Application application) {
    Message message = messages.inPath(call, application, false);
    Id id = Id.parse(IdKind.ATTEMPT, call.path("attempt"));
    Attempt attempt =
        id == null ? null : reader.find(application.id(), message.id(), new AttemptId(id));
    if (attempt == null) {
      throw ApiError.notFound("attempt");
    }
    return attempt;
  }

  void get(Call call) {
    Application application = applications.inPath(call);
    Attempt attempt = inPath(call, application);
    String url = shownUrl(call, application, attempt);
    call.json(200, out -> out.object(o -> write(o, attempt, url, false, true)));
  }

  private static String idText(Attempt attempt) {
    return attempt.id().text(IdKind.ATTEMPT);
  }

  private static String shownUrl(Call call, Application application, Attempt attempt) {
    return AlertUrls.shown(call, application, attempt.url());
  }

  private static void write(
      JsonOut out, Attempt attempt, String url, boolean inList, boolean withContent) {
    int status = attempt.outcome() == OutcomeClass.SUCCESS ? Statuses.SUCCESS : Statuses.FAIL;
    out.text("id", idText(attempt))
        .text("msgId", attempt.messageId().text(IdKind.MESSAGE))
        .text("endpointId", attempt.laneId().text(attempt.laneKind()))
        .text("deliveryId", attempt.deliveryId().text(IdKind.DELIVERY))
        .number("attemptNumber", attempt.number())
        .text("url", url)
        .text("response", withContent ? response(attempt, inList) : "{}")
        .number("responseStatusCode", attempt.statusCode() == null ? 0 : attempt.statusCode())
        .number("responseDurationMs", attempt.timing().latencyMs())
        .number("status", status)
        .text("statusText", Statuses.text(status))
        .number("triggerType", attempt.manual() ? 1 : 0)
        .text("outcome", attempt.outcome().name().toLowerCase(Locale.ROOT))
        .textOrNull("error", attempt.error())
        .time("timestamp", attempt.timing().sentAtMs())
        .timeOrNull("scheduledAt", attempt.timing().scheduledAtMs())
        .timeOrNull("nextAttempt", attempt.timing().nextAttemptAtMs());
    if (!inList) {
      out.raw("sentHeaders", attempt.sentHeaders());
    }
  }

  /** The text of the response, as base64 if it is not text; the error if there was no response. */
  private static String response(Attempt attempt, boolean inList) {
    byte[] bytes = attempt.response();
    if (bytes == null) {
      return attempt.error() == null || attempt.statusCode() != null ? "" : attempt.error();
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    // The kept bytes may end within a character; anything else that does not decode is not text.
    boolean binary = text.indexOf('\uFFFD') >= 0 && text.indexOf('\uFFFD') < text.length() - 1;
    String shown = binary ? Base64.getEncoder().encodeToString(bytes) : text;
    return inList && shown.length() > Limits.RESPONSE_SHOWN_IN_LISTS
        ? shown.substring(0, Limits.RESPONSE_SHOWN_IN_LISTS)
        : shown;
  }

  /** An endpoint, and the status of the message's delivery to it. */
  private record Destination(Endpoint endpoint, DeliveryView delivery) {}

  /**
   * The endpoints of a message, including deleted ones. Their number is bounded, so the page is cut
   * here.
   */
  void destinations(Call call) {
    boolean expanded = call.query().flag(Statuses.EXPANDED, false);
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.ENDPOINT, text), false);
    Application application = applications.inPath(call);
    Message message = messages.inPath(call, application, false);
    Map<Id, DeliveryView> byLane =
        deliveries.ofMessage(application.id(), message.id()).stream()
            .collect(Collectors.toMap(DeliveryView::laneId, Function.identity()));
    List<Destination> all = new ArrayList<>();
    for (Endpoint endpoint : endpoints.all(application.id().value(), keyset, byLane.keySet())) {
      DeliveryView view = byLane.get(endpoint.id().value());
      if (view != null) {
        all.add(new Destination(endpoint, view));
      }
    }
    call.json(
        200,
        Pages.page(
            keyset.page(all),
            destination -> EndpointCalls.idText(destination.endpoint()),
            (out, destination) -> {
              EndpointCalls.write(out, AlertUrls.shown(call, application, destination.endpoint()));
              Statuses.write(out, destination.delivery(), expanded);
            }));
  }

  void expunge(Call call) {
    Application application = applications.inPath(call);
    Message message = messages.inPath(call, application, false);
    Id id = Id.parse(IdKind.ATTEMPT, call.path("attempt"));
    if (id == null
        || !content.expungeAttempt(application.id(), message.id(), new AttemptId(id), ids.next())) {
      throw ApiError.notFound("attempt");
    }
    call.noContent();
  }

  void resend(Call call) {
    Application application = applications.inPath(call);
    Message message = messages.inPath(call, application, false);
    Endpoint endpoint = endpoints.inPath(call, application);
    ResendResult result = redrive.resend(application.id(), message.id(), endpoint.id());
    switch (result) {
      case ResendResult.Queued queued ->
          call.json(202, out -> out.object(o -> o.text("deliveryId", queued.deliveryId().text())));
      case ResendResult.NoSuchMessage _ -> throw ApiError.notFound("message");
      case ResendResult.NoSuchEndpoint _ -> throw ApiError.notFound("endpoint");
      case ResendResult.EndpointDisabled _ ->
          throw new ApiError(400, "endpoint_disabled", "the endpoint is disabled; enable it first");
      case ResendResult.PayloadGone _ ->
          throw new ApiError(
              400,
              "missing_payload",
              "the payload of the message has expired and cannot be sent again");
      case ResendResult.Refused refused -> throw ApiError.unavailable(refused.why(), RETRY_AFTER);
    }
  }
}
