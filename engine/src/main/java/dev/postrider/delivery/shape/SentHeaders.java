package dev.postrider.delivery.shape;

import dev.postrider.delivery.Attempt;
import dev.postrider.delivery.http.HeaderList;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.DeliveryOptions.SignatureHeaders;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SignatureScheme.Standard;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers of an attempt, as recorded and as shown. Most of them can be derived from the attempt
 * itself: ids, number, time and signature have columns of their own. So for Standard Webhooks only
 * the spelling is recorded, under a key that no header can have, with the user agent and the names
 * of the custom headers, whose values may be secret; every other scheme is recorded as it was sent.
 * Nearly all attempts have no custom headers and the default user agent: for them one letter, the
 * first of the spelling, stands for the object.
 */
public final class SentHeaders {
  /** Not a header name: a colon ends one. */
  private static final String SPELLING = ":";

  public static final String USER_AGENT = "User-Agent";
  public static final String CONTENT_TYPE = "Content-Type";
  public static final String DELIVERY_ID = "postrider-delivery-id";
  public static final String ATTEMPT = "postrider-attempt";
  public static final String EVENT_TYPE = "postrider-event-type";
  public static final String EVENT_ID = "postrider-event-id";
  public static final String ENDPOINT = "postrider-endpoint";
  private static final String DEFAULT_CONTENT_TYPE = "application/json";

  /** The recorded object for each spelling when there are no custom headers; made once. */
  private final String[] plain = new String[SignatureHeaders.values().length];

  /** The letters, by the same index. */
  private static final String[] LETTERS = {"w", "s", "b"};

  private final String userAgent;

  public SentHeaders(String userAgent) {
    this.userAgent = userAgent;
    for (SignatureHeaders spelling : SignatureHeaders.values()) {
      plain[index(spelling)] = Json.write(standard(spelling, userAgent));
    }
  }

  private static int index(SignatureHeaders spelling) {
    return switch (spelling) {
      case WEBHOOK -> 0;
      case SVIX -> 1;
      case BOTH -> 2;
    };
  }

  private static Map<String, String> standard(SignatureHeaders spelling, String userAgent) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(SPELLING, spelling.name().toLowerCase(Locale.ROOT));
    headers.put(USER_AGENT, userAgent);
    return headers;
  }

  /**
   * The recorded form of the headers that were sent.
   *
   * @param custom the endpoint's own headers as JSON with their values masked; null if it has none
   * @param shapedType the content type that a transform chose, if one did
   * @param sent all but the endpoint's own
   */
  public String recorded(
      SignatureScheme scheme,
      @Nullable String custom,
      @Nullable String shapedType,
      HeaderList sent) {
    String own;
    if (!(scheme instanceof Standard(SignatureHeaders spelling))) {
      Map<String, String> headers = new LinkedHashMap<>();
      sent.forEach(headers::put);
      own = Json.write(headers);
    } else if (shapedType == null && sent.has(USER_AGENT)) {
      if (custom == null && userAgent.equals(DeliveryOptions.DEFAULT_USER_AGENT)) {
        return LETTERS[index(spelling)];
      }
      own = plain[index(spelling)];
    } else {
      Map<String, String> headers = standard(spelling, userAgent);
      if (!sent.has(USER_AGENT)) {
        headers.remove(USER_AGENT); // the endpoint has its own
      }
      if (shapedType != null && sent.has(CONTENT_TYPE)) {
        headers.put(CONTENT_TYPE, shapedType);
      }
      own = Json.write(headers);
    }
    return custom == null ? own : own.substring(0, own.length() - 1) + "," + custom.substring(1);
  }

  /** The header with the uid of an endpoint, or its id. */
  public static HeaderList ownName(EndpointConfig config) {
    String uid = config.get(EndpointFields.UID);
    return new HeaderList().add(ENDPOINT, uid == null ? config.endpointId().text() : uid);
  }

  /** The recorded values of an attempt and its message from which its headers are derived. */
  public record Facts(
      Attempt attempt,
      @Nullable String signature,
      @Nullable String contentType,
      @Nullable String eventType,
      @Nullable String eventId) {}

  /** All headers as they were sent, in JSON, with the values of custom ones masked. */
  public static @Nullable String shown(Facts facts) {
    String recorded = facts.attempt().sentHeaders();
    if (recorded == null) {
      return null;
    }
    Map<String, String> stored = stored(recorded);
    String spelling = stored.remove(SPELLING);
    if (spelling == null) {
      return recorded;
    }
    Attempt attempt = facts.attempt();
    Map<String, String> all = new LinkedHashMap<>();
    String userAgent = stored.remove(USER_AGENT);
    if (userAgent != null) {
      all.put(USER_AGENT, userAgent);
    }
    String shapedType = stored.remove(CONTENT_TYPE);
    if (stored.keySet().stream().noneMatch(CONTENT_TYPE::equalsIgnoreCase)) {
      String type = shapedType == null ? facts.contentType() : shapedType;
      all.put(CONTENT_TYPE, type == null ? DEFAULT_CONTENT_TYPE : type);
    }
    for (String prefix : prefixes(spelling)) {
      all.put(prefix + "id", attempt.messageId().text(IdKind.MESSAGE));
      all.put(prefix + "timestamp", Long.toString(attempt.timing().sentAtMs() / 1000));
      if (facts.signature() != null) {
        all.put(prefix + "signature", facts.signature());
      }
    }
    all.put(DELIVERY_ID, attempt.deliveryId().text(IdKind.DELIVERY));
    all.put(ATTEMPT, Integer.toString(attempt.number()));
    putIfKnown(all, EVENT_TYPE, facts.eventType());
    all.put(ENDPOINT, attempt.laneId().text(IdKind.ENDPOINT));
    all.put(
        EVENT_ID,
        facts.eventId() == null ? attempt.messageId().text(IdKind.MESSAGE) : facts.eventId());
    all.putAll(stored);
    return Json.write(all);
  }

  private static Map<String, String> stored(String recorded) {
    for (SignatureHeaders spelling : SignatureHeaders.values()) {
      if (recorded.equals(LETTERS[index(spelling)])) {
        return standard(spelling, DeliveryOptions.DEFAULT_USER_AGENT);
      }
    }
    return new LinkedHashMap<>(Json.texts(recorded));
  }

  private static void putIfKnown(Map<String, String> all, String name, @Nullable String value) {
    if (value != null) {
      all.put(name, value);
    }
  }

  private static List<String> prefixes(String spelling) {
    return spelling.equals("both") ? List.of("webhook-", "svix-") : List.of(spelling + "-");
  }
}
