package dev.postrider.inbound.verify;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.verify.provider.SnsOptions;
import dev.postrider.inbound.verify.provider.SnsUrls;
import dev.postrider.inbound.verify.verifier.HmacScheme;
import dev.postrider.inbound.verify.verifier.HmacScheme.Algorithm;
import dev.postrider.inbound.verify.verifier.SchemeOptions;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.json.Json;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The handshakes of the providers. */
final class Handshakes {
  /** Longer than the challenge of any provider; limits how much text from outside is echoed. */
  static final int MAX_ECHO = 4_096;

  /** The largest body that is searched for a challenge. */
  static final int MAX_CHALLENGE_BODY = 4_096;

  static final String CHALLENGE_QUERY = "challenge_query";
  static final String CHALLENGE_FIELD = "challenge_field";
  static final String CHALLENGE_RESPONSE = "challenge_response";
  static final String ALLOWED_ORIGINS = "allowed_origins";
  static final String ALLOWED_RATE = "allowed_rate";

  /** Those that every scheme has. */
  static final Set<String> OPTIONS =
      Set.of(CHALLENGE_QUERY, CHALLENGE_FIELD, CHALLENGE_RESPONSE, ALLOWED_ORIGINS, ALLOWED_RATE);

  /** Usually a host name; nothing that could be more than one header value. */
  private static final Pattern ORIGIN = Pattern.compile("[!-~]{1,255}");

  /** Ids, tokens and base64; nothing that HTML or JSON would have to escape. */
  private static final Pattern CHALLENGE = Pattern.compile("[A-Za-z0-9._~:+/=-]{1,1024}");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._~-]{1,64}");
  private static final Pattern PATH =
      Pattern.compile("[A-Za-z0-9_-]{1,64}(\\.[A-Za-z0-9_-]{1,64}){0,7}");

  private Handshakes() {}

  private record Simple(
      Stage stage, BiFunction<InboundRequest, List<SourceSecret>, @Nullable HandshakeAnswer> rule)
      implements Handshake {
    @Override
    public @Nullable HandshakeAnswer answer(InboundRequest request, List<SourceSecret> secrets) {
      return rule.apply(request, secrets);
    }
  }

  private static Handshake before(
      BiFunction<InboundRequest, List<SourceSecret>, @Nullable HandshakeAnswer> rule) {
    return new Simple(Handshake.Stage.BEFORE_VERIFICATION, rule);
  }

  private static Handshake after(
      BiFunction<InboundRequest, List<SourceSecret>, @Nullable HandshakeAnswer> rule) {
    return new Simple(Handshake.Stage.AFTER_VERIFICATION, rule);
  }

  /** The challenge of {@code url_verification}, as plain text. */
  static Handshake slack() {
    return after(
        (request, _) -> {
          String challenge = JsonBody.text(request.body(), "challenge");
          boolean asked = "url_verification".equals(JsonBody.text(request.body(), "type"));
          return asked ? echo(challenge) : null;
        });
  }

  static Handshake dropbox() {
    return before((request, _) -> challenge(fromQuery(request, "challenge"), null));
  }

  /**
   * The handshakes that the options of a source describe: the value of a query parameter, or of a
   * field in a small JSON body, is sent back. The provider cannot sign it yet, so the request is
   * not verified; a response with the same short text discloses nothing to an unauthenticated
   * caller.
   */
  static List<Handshake> configured(SchemeOptions options) {
    String parameter = named(options, CHALLENGE_QUERY, NAME, "hub.challenge");
    String field = named(options, CHALLENGE_FIELD, PATH, "challenge or data.challenge");
    if (parameter == null && field == null && options.find(CHALLENGE_RESPONSE) != null) {
      throw SchemeOptions.refused(
          CHALLENGE_RESPONSE, "needs " + CHALLENGE_QUERY + " or " + CHALLENGE_FIELD);
    }
    List<Handshake> handshakes = new ArrayList<>();
    if (parameter != null) {
      String key = inJson(options, "text") ? parameter : null;
      handshakes.add(before((request, _) -> challenge(fromQuery(request, parameter), key)));
    }
    if (field != null) {
      String[] path = field.split("\\.", -1);
      String key = inJson(options, "json") ? path[path.length - 1] : null;
      handshakes.add(before((request, _) -> challenge(fromBody(request, path), key)));
    }
    return handshakes;
  }

  private static @Nullable String named(
      SchemeOptions options, String option, Pattern form, String example) {
    String name = options.find(option);
    if (name != null && !form.matcher(name).matches()) {
      throw SchemeOptions.refused(option, "must be a name such as " + example);
    }
    return name;
  }

  private static boolean inJson(SchemeOptions options, String byDefault) {
    return options.choice(CHALLENGE_RESPONSE, byDefault, List.of("text", "json")).equals("json");
  }

  private static @Nullable String fromQuery(InboundRequest request, String parameter) {
    return request.method().equals("GET") ? request.queryParameter(parameter) : null;
  }

  private static @Nullable String fromBody(InboundRequest request, String[] path) {
    return request.body().length <= MAX_CHALLENGE_BODY ? JsonBody.text(request.body(), path) : null;
  }

  /**
   * @param key the name of the challenge in a JSON response; null for a plain text
   */
  private static @Nullable HandshakeAnswer challenge(@Nullable String text, @Nullable String key) {
    if (text == null || !CHALLENGE.matcher(text).matches()) {
      return null;
    }
    return key == null
        ? HandshakeAnswer.text(text)
        : HandshakeAnswer.json(Json.write(Map.of(key, text)));
  }

  /** The token's HMAC with the consumer secret, which proves that we know it. */
  static Handshake twitter() {
    return before(
        (request, secrets) -> {
          String token = request.queryParameter("crc_token");
          if (!request.method().equals("GET")
              || token == null
              || !isShort(token)
              || secrets.isEmpty()) {
            return null;
          }
          String response = Base64.getEncoder().encodeToString(hmac(secrets.getFirst(), token));
          return HandshakeAnswer.json(Json.write(Map.of("response_token", "sha256=" + response)));
        });
  }

  /** {@code hub.challenge}, if {@code hub.verify_token} matches the one registered at Meta. */
  static Handshake meta(@Nullable String verifyToken) {
    return before(
        (request, _) -> {
          String token = request.queryParameter("hub.verify_token");
          if (!request.method().equals("GET")
              || !"subscribe".equals(request.queryParameter("hub.mode"))
              || token == null
              || verifyToken == null
              || !HmacScheme.same(utf8(token), utf8(verifyToken))) {
            return null;
          }
          return echo(request.queryParameter("hub.challenge"));
        });
  }

  /**
   * Confirms a subscription by fetching its URL; the verifier has already verified the message. If
   * it verifies nothing, because a stand-in sends, only the URL of the stand-in is fetched, and
   * only if the source names it: an unauthenticated caller must not choose what this server
   * fetches.
   */
  static Handshake sns(SchemeOptions options) {
    if (!SnsOptions.skipsVerification(options)) {
      return snsConfirmation(SnsUrls::confirmation, _ -> null);
    }
    URI standIn = SnsOptions.standIn(options);
    return snsConfirmation(
        text -> standIn == null ? null : SnsUrls.confirmation(text, standIn),
        type ->
            "SubscriptionConfirmation".equals(type)
                ? HandshakeAnswer.text(
                    "not confirmed: the option endpoint of the source is not the URL of the sender\n")
                : null);
  }

  private static Handshake snsConfirmation(
      Function<String, @Nullable URI> confirmation,
      Function<@Nullable String, @Nullable HandshakeAnswer> otherwise) {
    return after(
        (request, _) -> {
          String type = JsonBody.text(request.body(), "Type");
          if ("UnsubscribeConfirmation".equals(type)) {
            return HandshakeAnswer.text("unsubscribed\n");
          }
          String text = JsonBody.text(request.body(), "SubscribeURL");
          URI url = text == null ? null : confirmation.apply(text);
          return "SubscriptionConfirmation".equals(type) && url != null
              ? HandshakeAnswer.text("confirming\n").fetching(url)
              : otherwise.apply(type);
        });
  }

  static Handshake graph() {
    return before(
        (request, _) ->
            request.method().equals("POST") && request.body().length == 0
                ? echo(request.queryParameter("validationToken"))
                : null);
  }

  /** The plain token together with its HMAC. */
  static Handshake zoom() {
    return after(
        (request, secrets) -> {
          String plain = JsonBody.text(request.body(), "payload", "plainToken");
          boolean asked = "endpoint.url_validation".equals(JsonBody.text(request.body(), "event"));
          if (!asked || plain == null || !isShort(plain) || secrets.isEmpty()) {
            return null;
          }
          Map<String, String> answer = new LinkedHashMap<>();
          answer.put("plainToken", plain);
          answer.put("encryptedToken", HexFormat.of().formatHex(hmac(secrets.getFirst(), plain)));
          return HandshakeAnswer.json(Json.write(answer));
        });
  }

  /**
   * Stores the secret that Asana sends and echoes it. Only while the source has none: otherwise any
   * unauthenticated caller could replace it.
   */
  static Handshake asana() {
    return before(
        (request, secrets) -> {
          String secret = request.header("x-hook-secret");
          if (secret == null || !isShort(secret) || secret.isBlank() || !secrets.isEmpty()) {
            return null;
          }
          return HandshakeAnswer.empty(Map.of("X-Hook-Secret", secret))
              .learning(SourceSecret.of(secret));
        });
  }

  static Handshake discord() {
    return after(
        (request, _) -> {
          // an interaction's PING is type 1; a webhook event's has type 0 and wants no body
          String type = JsonBody.text(request.body(), "type");
          if ("0".equals(type)) {
            return new HandshakeAnswer(204, Map.of(), "", null, null);
          }
          return "1".equals(type) && JsonBody.text(request.body(), "event", "type") == null
              ? HandshakeAnswer.json("{\"type\":1}")
              : null;
        });
  }

  /**
   * The abuse protection of CloudEvents webhooks: an origin may send only after the receiver
   * agreed. Agrees with the origins configured in the source; if none is configured, with every
   * origin if the source verifies requests, else with none.
   */
  static List<Handshake> cloudEvents(SchemeOptions options, boolean verifies) {
    List<String> allowed = options.list(ALLOWED_ORIGINS);
    String rate = options.find(ALLOWED_RATE);
    if (rate != null && !rate.matches("\\*|[1-9][0-9]{0,8}")) {
      throw SchemeOptions.refused(ALLOWED_RATE, "must be a number of requests per minute, or *");
    }
    return allowed.isEmpty() && !verifies
        ? List.of()
        : List.of(before((request, _) -> cloudEventsAnswer(request, allowed, rate)));
  }

  private static @Nullable HandshakeAnswer cloudEventsAnswer(
      InboundRequest request, List<String> allowed, @Nullable String rate) {
    String origin = request.header("webhook-request-origin");
    if (!request.method().equals("OPTIONS")
        || origin == null
        || !ORIGIN.matcher(origin).matches()) {
      return null;
    }
    if (!allowed.isEmpty() && !allowed.contains("*") && !allowed.contains(origin)) {
      return null;
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Allow", "POST");
    headers.put("WebHook-Allowed-Origin", allowed.contains("*") ? "*" : origin);
    if (rate != null || request.header("webhook-request-rate") != null) {
      headers.put("WebHook-Allowed-Rate", rate == null ? "*" : rate);
    }
    return HandshakeAnswer.empty(headers);
  }

  private static @Nullable HandshakeAnswer echo(@Nullable String challenge) {
    return challenge != null && isShort(challenge) ? HandshakeAnswer.text(challenge) : null;
  }

  private static boolean isShort(String text) {
    return text.length() <= MAX_ECHO;
  }

  private static byte[] hmac(SourceSecret secret, String text) {
    return Algorithm.SHA256.mac(secret.bytes(), sink -> sink.accept(utf8(text)));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
