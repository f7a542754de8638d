package dev.postrider.inbound;

import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.inbound.body.BodyForm;
import dev.postrider.inbound.body.EventBatch;
import dev.postrider.inbound.body.RepeatKeys;
import dev.postrider.inbound.compiled.CompiledSource;
import dev.postrider.inbound.request.Headers;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.verify.Handshake;
import dev.postrider.inbound.verify.HandshakeAnswer;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verification.Invalid;
import dev.postrider.inbound.verify.verifier.Verification.NotAsked;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import dev.postrider.inbound.verify.verifier.Verification.Valid;
import dev.postrider.json.Json;
import dev.postrider.json.Problem;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.net.Cidr;
import dev.postrider.net.HeaderNames;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The processing of one request to a source. Order: address, length, handshake, verification,
 * handshake, format of the body, event type, deduplication, commit. Except for handshakes, no
 * request gets a 2xx response before its commit.
 */
final class InboundCall {
  private static final Set<String> CARRYING = Set.of("POST", "PUT", "PATCH", "DELETE");
  private static final System.Logger LOG = System.getLogger(InboundCall.class.getName());

  /**
   * Thrown to reject a request: a short text for the caller, and details for the owner of the
   * source.
   */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    final int status;
    final String reason;
    final String toCaller;

    Refusal(int status, String reason, String toCaller, String toOwner) {
      super(toOwner, null, false, false);
      this.status = status;
      this.reason = reason;
      this.toCaller = toCaller;
    }
  }

  private final Gateway.Services services;
  private final CompiledSource compiled;
  private final SourceForm form;
  private final @Nullable KeyedEvent event;
  private final RawRequest rawRequest;
  private final String address;
  private byte @Nullable [] body;

  InboundCall(
      Gateway.Services services,
      CompiledSource compiled,
      @Nullable KeyedEvent event,
      RawRequest rawRequest,
      String address) {
    this.services = services;
    this.compiled = compiled;
    this.event = event;
    this.form = compiled.source().form();
    this.rawRequest = rawRequest;
    this.address = address;
  }

  InboundResponse answer() throws IOException {
    try {
      return judge();
    } catch (EvaluationBusy busy) {
      return services.rejectedUnrecorded(503, "busy", "temporarily unavailable; try again");
    } catch (Refusal refusal) {
      keep(refusal);
      InboundResponse answer =
          InboundResponse.error(refusal.status, refusal.reason, refusal.toCaller);
      return switch (refusal.status) {
        case 405 ->
            answer.with(
                "Allow",
                (form.get(SourceFields.ALLOW_GET) ? "GET, " : "")
                    + "HEAD, POST, PUT, PATCH, DELETE");
        case 503 -> answer.with("Retry-After", Gateway.RETRY_AFTER_SECONDS);
        default -> body == null ? answer.closing() : answer;
      };
    }
  }

  private InboundResponse judge() throws IOException, Refusal {
    if (!form.get(SourceFields.ENABLED)) {
      throw new Refusal(403, "disabled", "the source is disabled", "the source is disabled");
    }
    if (!compiled.allowed().isEmpty() && !Cidr.anyContains(compiled.allowed(), address)) {
      throw new Refusal(
          403,
          "address",
          "requests from this IP address are not allowed",
          address + " is not in allowedIps");
    }
    if (rawRequest.method().equals("HEAD")) {
      return new InboundResponse(
          200,
          Map.of(),
          new byte[0],
          false); // a request without a message, which only checks that the URL exists
    }
    refuseCoded();
    byte[] bytes = read();
    body = bytes;
    InboundRequest request =
        new InboundRequest(
            rawRequest.method(), rawRequest.url(), rawRequest.headers(), bytes, rawRequest.peer());
    if (event != null) {
      InboundRequest open = request.with("authorization", null);
      return answer(
          services.acceptor().accept(message(open, SignatureStatus.API_KEY.text(), false)));
    }
    long now = services.time().nowMs();
    List<SourceSecret> others = compiled.secrets().live(now);
    HandshakeAnswer greeting = greeting(Handshake.Stage.BEFORE_VERIFICATION, request, others);
    if (greeting != null) {
      return greet(greeting);
    }
    boolean get = form.get(SourceFields.ALLOW_GET) && request.method().equals("GET");
    if (!get && !CARRYING.contains(request.method())) {
      throw new Refusal(
          405,
          "handshake",
          "requests with this method cannot carry a message",
          request.method() + " was not a handshake request of the scheme " + form.verify());
    }
    InboundRequest carried = get && bytes.length == 0 ? carried(request) : request;
    List<SourceSecret> secrets =
        compiled.secrets().dependOnEventType() ? secretsFor(carried, others, now) : others;
    String signature = signature(compiled.verifier().verify(request, secrets, now));
    HandshakeAnswer after = greeting(Handshake.Stage.AFTER_VERIFICATION, request, secrets);
    if (after != null) {
      return greet(after);
    }
    if (EventBatch.is(carried)) {
      return acceptAll(carried, signature);
    }
    return answer(
        services
            .acceptor()
            .accept(message(compiled.unwrapping().apply(carried), signature, false)));
  }

  /**
   * The secrets that the request may be signed with. Its event type is not verified yet, but what
   * is stored later has this event type, so a secret is good only for its own. The events of a
   * batch can have several types, for which only the secret of all others can be used.
   */
  private List<SourceSecret> secretsFor(
      InboundRequest carried, List<SourceSecret> others, long now) {
    if (EventBatch.is(carried)) {
      return others;
    }
    String eventType = compiled.eventType().typeOf(compiled.unwrapping().apply(carried));
    return compiled.secrets().ofEventType(eventType, others, now);
  }

  /** The query as a form, without the token that may be part of it. */
  private InboundRequest carried(InboundRequest request) {
    String secret =
        form.verify().equals("api-key") ? form.get(SourceFields.OPTIONS).get("query") : null;
    return request.withQueryAsBody(secret);
  }

  /**
   * A compressed body could not be verified, and would reach the endpoints without its encoding.
   */
  private void refuseCoded() throws Refusal {
    String coding = rawRequest.headers().joined("content-encoding");
    if (coding != null && !coding.isEmpty() && !coding.equalsIgnoreCase("identity")) {
      throw new Refusal(
          415,
          "encoding",
          "send the body without Content-Encoding",
          "the body has the Content-Encoding " + coding);
    }
  }

  private byte[] read() throws IOException, Refusal {
    Integer own = form.get(SourceFields.MAX_BODY_BYTES);
    long max =
        own == null
            ? services.limits().maxBodyBytes()
            : Math.min(own, services.limits().maxBodyBytes());
    try {
      if (rawRequest.announcedLength().orElse(0) > max) {
        throw new RawRequest.TooLong();
      }
      return rawRequest.body(max);
    } catch (RawRequest.TooLong e) {
      throw new Refusal(
          413,
          "too_large",
          "the body may have at most " + max + " bytes",
          "the body has more than " + max + " bytes");
    }
  }

  private @Nullable HandshakeAnswer greeting(
      Handshake.Stage stage, InboundRequest request, List<SourceSecret> secrets) {
    for (Handshake handshake : compiled.handshakes()) {
      if (handshake.stage() == stage) {
        HandshakeAnswer answer = handshake.answer(request, secrets);
        if (answer != null) {
          return answer;
        }
      }
    }
    return null;
  }

  private InboundResponse greet(HandshakeAnswer answer) throws Refusal {
    SourceSecret learned = answer.learned();
    if (learned != null && !services.sources().learn(compiled.source(), learned)) {
      throw unverified("handshake", "the source already has a secret; remove it first");
    }
    URI url = answer.fetch();
    if (url != null) {
      try {
        services.confirmer().fetch(url);
      } catch (IOException e) {
        throw new Refusal(
            503,
            "unavailable",
            "temporarily unavailable; try again",
            "the confirmation failed: " + e.getMessage());
      }
    }
    return new InboundResponse(
        answer.status(), answer.headers(), answer.body().getBytes(StandardCharsets.UTF_8), false);
  }

  private String signature(Verification verification) throws Refusal {
    return switch (verification) {
      case Valid _ -> SignatureStatus.VALID.text();
      case NotAsked _ -> SignatureStatus.NOT_ASKED.text();
      case Invalid(Reason reason, String text) -> {
        if (reason == Reason.MISSING_HEADER && form.get(SourceFields.ALLOW_UNSIGNED)) {
          yield SignatureStatus.MISSING.text();
        }
        if (reason == Reason.UNAVAILABLE) {
          throw new Refusal(503, "unavailable", "temporarily unavailable; try again", text);
        }
        throw unverified(reason.name().toLowerCase(Locale.ROOT), text);
      }
    };
  }

  private static Refusal unverified(String reason, String text) {
    return new Refusal(401, reason, "the request could not be verified", text);
  }

  /** All or none, in one commit. */
  private InboundResponse acceptAll(InboundRequest request, String signature) throws Refusal {
    List<NewMessage> messages = new ArrayList<>();
    try {
      for (InboundRequest event : EventBatch.split(request)) {
        NewMessage message = message(event, signature, true);
        AcceptResult refused = services.acceptor().look(message).refused();
        if (refused != null) {
          return answer(refused);
        }
        messages.add(message);
      }
    } catch (EventBatch.Bad e) {
      String wrong = String.valueOf(e.getMessage());
      throw new Refusal(400, "body", wrong, wrong);
    }
    List<String> taken = new ArrayList<>();
    int duplicates = 0;
    int deliveries = 0;
    for (AcceptResult result :
        messages.isEmpty() ? List.<AcceptResult>of() : services.acceptor().acceptAll(messages)) {
      if (!(result instanceof AcceptResult.Accepted accepted)) {
        return answer(
            result); // events that were accepted are recognized when the batch is sent again
      }
      services.events().publish(new InboundEvent.Accepted(form.name(), accepted.replayed()));
      taken.add(accepted.messageId().text());
      duplicates += accepted.replayed() ? 1 : 0;
      deliveries += accepted.deliveries();
    }
    return reply(
        "{\"ids\":%s,\"duplicates\":%d,\"deliveries\":%d}"
            .formatted(Json.write(taken), duplicates, deliveries),
        null);
  }

  private NewMessage message(InboundRequest request, String signature, boolean ofBatch)
      throws Refusal {
    String wrong = BodyForm.problem(request, form, compiled.schema());
    if (wrong != null) {
      throw new Refusal(400, "body", wrong, wrong);
    }
    return new NewMessage(
        compiled.source().environmentId(),
        compiled.source().applicationId().text(IdKind.APPLICATION),
        event == null ? compiled.eventType().typeOf(request) : event.eventType(),
        null,
        List.of(),
        List.of(),
        BodyForm.stored(request, form),
        BodyForm.contentType(request, form),
        storedHeaders(request.headers(), signature),
        null,
        NewMessage.Schedule.NONE,
        key(request, ofBatch));
  }

  /** That of the caller, else that of the dedupe rule of the source. */
  private @Nullable IdempotencyKey key(InboundRequest request, boolean ofBatch) {
    IdempotencyKey own = event == null ? null : event.idempotencyKey().of(request.body());
    if (own != null) {
      return own;
    }
    String byRule = compiled.dedupe().keyOf(request);
    boolean provider = form.get(SourceFields.DEDUPE).equals(SourceForm.PROVIDER);
    String key = ofBatch ? EventBatch.key(byRule, request, provider) : byRule;
    return key == null
        ? null
        : RepeatKeys.of(compiled.source(), key, form, services.time().nowMs());
  }

  /** All headers except secret ones, and further values under names that no header can have. */
  private String storedHeaders(Headers headers, String signature) {
    Map<String, String> kept = new LinkedHashMap<>();
    kept.put(":source", form.name());
    kept.put(":signature", signature);
    kept.put(":method", rawRequest.method());
    kept.put(":address", address);
    Map<String, String> open = openHeaders(headers);
    String forwarded = compiled.forwarded(open.keySet());
    if (!forwarded.isEmpty()) {
      kept.put(HeaderNames.FORWARDED, forwarded);
    }
    kept.putAll(open);
    return Json.write(kept);
  }

  private Map<String, String> openHeaders(Headers headers) {
    Map<String, String> kept = new LinkedHashMap<>();
    for (String name : headers.names()) {
      String value = headers.joined(name);
      if (value != null && !compiled.secretHeaders().has(name) && value.indexOf(0) < 0) {
        kept.put(name, value);
      }
    }
    return kept;
  }

  private InboundResponse answer(AcceptResult result) throws Refusal {
    return switch (result) {
      case AcceptResult.Accepted accepted -> {
        services.events().publish(new InboundEvent.Accepted(form.name(), accepted.replayed()));
        yield reply(accepted.messageId().value(), accepted.replayed(), accepted.deliveries());
      }
      case AcceptResult.NoSuchApplication _ ->
          throw new Refusal(
              404,
              "application_gone",
              "source not found",
              "the application of the source was deleted; save the source again to create a new"
                  + " application");
      case AcceptResult.ApplicationInactive _ ->
          throw new Refusal(
              403,
              "application_inactive",
              "the source is disabled",
              "the application of the source is not active");
      case AcceptResult.Refused(String why, Duration after) ->
          InboundResponse.error(503, "unavailable", why)
              .with("Retry-After", String.valueOf(Math.max(1, after.toSeconds())));
      case AcceptResult.TooMany(int perSecond, Duration after) ->
          InboundResponse.error(
                  429,
                  "too_many_requests",
                  "rate limit exceeded: at most "
                      + perSecond
                      + " messages per second are accepted here")
              .with("Retry-After", String.valueOf(Math.max(1, after.toSeconds())));
      case AcceptResult.TooLarge(int maxBytes) -> {
        String why = "the body may have at most " + maxBytes + " bytes";
        throw new Refusal(413, "body", why, why);
      }
      case AcceptResult.Invalid(String why) -> throw new Refusal(400, "body", why, why);
      case AcceptResult.Unfit(List<Problem> problems) -> {
        String why = problems.stream().map(Problem::msg).collect(Collectors.joining("; "));
        throw new Refusal(400, "event_type", why, why);
      }
      case AcceptResult.EventIdTaken(MessageId first) -> reply(first.value(), true, 0);
      case AcceptResult.KeyReused _ ->
          throw new Refusal(
              409,
              "repeat",
              "the idempotency key was used with a different body; use a new key for a new message",
              "the idempotency key was used with a different body");
    };
  }

  private InboundResponse reply(Id messageId, boolean duplicate, int deliveries) {
    String id = messageId.text(IdKind.MESSAGE);
    return reply(
        "{\"id\":\"" + id + "\",\"duplicate\":" + duplicate + ",\"deliveries\":" + deliveries + "}",
        id);
  }

  /**
   * @param ours the response unless the source defines its own
   */
  private InboundResponse reply(String ours, @Nullable String messageId) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (event != null && messageId != null) { // the response of the source is for its provider
      headers.put("Content-Type", "application/json");
      headers.put(Gateway.MESSAGE_ID, messageId);
      return new InboundResponse(202, headers, ours.getBytes(StandardCharsets.UTF_8), false);
    }
    FieldValues response = form.get(SourceFields.RESPONSE);
    String own = response.get(SourceFields.BODY);
    headers.put("Content-Type", own == null ? "application/json" : "text/plain; charset=utf-8");
    response
        .get(SourceFields.HEADERS)
        .forEach(
            (name, value) -> {
              headers.keySet().removeIf(name::equalsIgnoreCase);
              headers.put(name, value);
            });
    if (messageId != null) {
      headers.put(Gateway.MESSAGE_ID, messageId);
    }
    String text = own == null ? ours : own;
    return new InboundResponse(
        response.get(SourceFields.STATUS), headers, text.getBytes(StandardCharsets.UTF_8), false);
  }

  private void keep(Refusal refusal) {
    byte[] bytes = body;
    Source source = compiled.source();
    LOG.log(Level.DEBUG, "{0} rejected {1}: {2}", form.name(), address, refusal.getMessage());
    services
        .events()
        .publish(
            new InboundEvent.Rejected(
                new RejectedRequest(
                    services.ids().next(),
                    source.environmentId(),
                    source.id(),
                    source.applicationId(),
                    form.name(),
                    new RejectedRequest.Refusal(
                        refusal.status, refusal.reason, String.valueOf(refusal.getMessage())),
                    rawRequest.method(),
                    address,
                    openHeaders(rawRequest.headers()),
                    bytes,
                    bytes == null ? rawRequest.announcedLength().orElse(-1) : bytes.length)));
  }
}
