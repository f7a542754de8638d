package dev.postrider.api.message;

import static java.util.Map.entry;

import dev.postrider.api.form.Limits;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.json.BadJson;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Json;
import dev.postrider.json.Problem;
import dev.postrider.json.TextRule;
import dev.postrider.json.Times;
import dev.postrider.json.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * The body of a send, read token by token: no tree is built, and the payload is the slice of the
 * request that the caller wrote. This runs for every message.
 */
public final class MessageBody {
  private static final String RAW_PAYLOAD = "rawPayload";
  private static final String JSON = "application/json";

  /** As long as that of a request that came in may be. */
  private static final int MAX_MEDIA_TYPE = 255;

  /** No colon: what we know ourselves of a request is stored under names that begin with one. */
  private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}");

  private static final TextRule HEADER_VALUE = TextRule.line(0, Limits.MESSAGE_HEADER_VALUE);
  private static final int MAX_HEADERS = 100;

  /** Reads the value of one field. */
  private interface Reading {
    void read(MessageBody into, String name, JsonToken token);
  }

  private static final Map<String, Reading> FIELDS =
      Map.ofEntries(
          entry("eventType", (m, n, t) -> m.eventType = m.text(n, t, Limits.EVENT_TYPE_RULE)),
          entry("eventId", (m, n, t) -> m.eventId = m.text(n, t, Limits.UID_RULE)),
          entry("payload", (m, n, t) -> m.payload = m.object(n, t)),
          entry(
              "channels",
              (m, n, t) ->
                  m.channels = m.texts(n, t, Limits.MESSAGE_CHANNELS, Limits.CHANNEL_RULE)),
          entry("tags", (m, n, t) -> m.tags = m.texts(n, t, Limits.MESSAGE_TAGS, Limits.TAG_RULE)),
          entry(
              "payloadRetentionPeriod",
              (m, n, t) -> m.retentionDays = m.number(n, t, 1, Limits.RETENTION_DAYS)),
          entry(
              "payloadRetentionHours",
              (m, n, t) -> m.retentionHours = m.number(n, t, 1, Limits.RETENTION_HOURS)),
          entry("deliverAt", (m, n, t) -> m.deliverAtMs = m.time(n, t)),
          entry(
              "maxRetries",
              (m, n, t) -> m.maxRetries = (int) m.number(n, t, 0, RetryPolicy.MAX_DELAYS)),
          entry("application", (m, n, t) -> m.application = m.object(n, t)),
          entry("transformationsParams", MessageBody::transformations));

  /** Maximum number of unknown fields that are reported. */
  private static final int MAX_UNKNOWN = 20;

  private final byte[] body;
  private final JsonParser parser;
  private final List<String> unknown = new ArrayList<>(0);

  private @Nullable String eventType;
  private @Nullable String eventId;
  private List<String> channels = List.of();
  private List<String> tags = List.of();
  private byte @Nullable [] payload;
  private byte @Nullable [] rawPayload;
  private boolean encoded;
  private Map<String, String> headers = Map.of();
  private @Nullable String contentType;

  /** The first token of the raw payload, null if it is not JSON. */
  private @Nullable JsonToken kind;

  private @Nullable Long retentionDays;
  private @Nullable Long retentionHours;
  private @Nullable Long deliverAtMs;
  private @Nullable Integer maxRetries;
  private byte @Nullable [] application;

  private MessageBody(byte[] body, JsonParser parser) {
    this.body = body;
    this.parser = parser;
  }

  /**
   * @throws BadJson if the body is not JSON
   * @throws InvalidFields if a value does not fit
   */
  public static MessageBody parse(byte[] body) {
    if (!Utf8.valid(body)) {
      throw new BadJson("the body is not valid UTF-8; send JSON as UTF-8");
    }
    try (JsonParser parser = Json.FACTORY.createParser(ObjectReadContext.empty(), body)) {
      MessageBody message = new MessageBody(body, parser);
      message.read();
      return message;
    } catch (JacksonException e) {
      throw BadJson.of(e);
    }
  }

  private void read() {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new InvalidFields(new Problem(List.of("body"), "must be a JSON object", Problem.VALUE));
    }
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      JsonToken token = parser.nextToken();
      if (token == JsonToken.VALUE_NULL) {
        continue;
      }
      Reading reading = FIELDS.get(name);
      if (reading == null) {
        unknown(name);
      } else {
        reading.read(this, name, token);
      }
    }
    if (parser.nextToken() != null) {
      throw new BadJson("the body has content after its JSON object; send one object");
    }
    require(eventType, "eventType");
    require(payload == null ? rawPayload : payload, "payload");
    if (rawPayload != null && (contentType == null || contentType.startsWith(JSON))) {
      kind = Json.kind(rawPayload);
    }
  }

  private void unknown(String name) {
    parser.skipChildren();
    if (unknown.size() < MAX_UNKNOWN) {
      unknown.add(name);
    }
  }

  private static void require(@Nullable Object value, String name) {
    if (value == null) {
      throw new InvalidFields(new Problem(List.of("body", name), "is required", Problem.MISSING));
    }
  }

  private String text(String name, JsonToken token, TextRule rule) {
    if (token != JsonToken.VALUE_STRING) {
      throw refused(name, "must be a string");
    }
    String text = parser.getString();
    String problem = rule.problem(text);
    if (problem != null) {
      throw refused(name, problem);
    }
    return text;
  }

  private List<String> texts(String name, JsonToken token, int most, TextRule rule) {
    if (token != JsonToken.START_ARRAY) {
      throw refused(name, "must be an array of strings");
    }
    List<String> texts = new ArrayList<>(most);
    for (JsonToken item = parser.nextToken();
        item != JsonToken.END_ARRAY;
        item = parser.nextToken()) {
      String text = text(name, item, rule);
      if (!texts.contains(text)) {
        texts.add(text);
      }
      if (texts.size() > most) {
        throw refused(name, "may have at most " + most + " items");
      }
    }
    return texts;
  }

  private long number(String name, JsonToken token, int least, int most) {
    // Compared as a double first: a number of a thousand digits fits no long.
    if (token != JsonToken.VALUE_NUMBER_INT
        || !(parser.getDoubleValue() >= least && parser.getDoubleValue() <= most)) {
      throw refused(name, "must be a whole number from " + least + " to " + most);
    }
    return parser.getLongValue();
  }

  private long time(String name, JsonToken token) {
    Long time = Times.parse(text(name, token, TextRule.of(1, 64)));
    if (time == null) {
      throw refused(name, "must be a time such as 2026-01-31T12:00:00Z");
    }
    return time;
  }

  /** The object's own bytes, found by the offsets of its first and last token. */
  private byte[] object(String name, JsonToken token) {
    if (token != JsonToken.START_OBJECT) {
      throw refused(name, "must be a JSON object");
    }
    int start = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    int end = (int) parser.currentLocation().getByteOffset();
    if (start < 0 || end > body.length || body[start] != '{' || body[end - 1] != '}') {
      throw new BadJson("the body must be JSON in UTF-8 without a byte order mark");
    }
    return Arrays.copyOfRange(body, start, end);
  }

  /** The newer clients send the payload as text in here, next to an empty {@code payload}. */
  private void transformations(String name, JsonToken token) {
    if (token != JsonToken.START_OBJECT) {
      throw refused(name, "must be a JSON object");
    }
    for (String field = parser.nextName(); field != null; field = parser.nextName()) {
      JsonToken value = parser.nextToken();
      if (field.equals(RAW_PAYLOAD) && value != JsonToken.VALUE_NULL) {
        rawPayload = rawPayload(value);
      } else if (field.equals(PayloadOut.ENCODING) && value != JsonToken.VALUE_NULL) {
        encoded = encoding(value);
      } else if (field.equals("headers") && value == JsonToken.START_OBJECT) {
        headers(name);
      } else if (value != JsonToken.VALUE_NULL) {
        unknown(name + "." + field);
      }
    }
    if (encoded && rawPayload != null) {
      rawPayload = decoded(rawPayload);
    }
  }

  private boolean encoding(JsonToken value) {
    if (value != JsonToken.VALUE_STRING || !parser.getString().equals(PayloadOut.BASE64)) {
      throw refused(PayloadOut.ENCODING, "must be base64, or absent for text");
    }
    return true;
  }

  private static byte[] decoded(byte[] base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw refused(RAW_PAYLOAD, "is not valid base64, although encoding is base64");
    }
  }

  private byte[] rawPayload(JsonToken value) {
    if (value != JsonToken.VALUE_STRING) {
      throw refused(RAW_PAYLOAD, "must be a string");
    }
    String text = parser.getString();
    String problem = TextRule.unstorable(text);
    if (problem != null && !problem.contains("NUL")) {
      throw refused(RAW_PAYLOAD, problem);
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The headers of the message, as if a request had contained them. */
  private void headers(String name) {
    if (headers.isEmpty()) {
      headers = new LinkedHashMap<>();
    }
    for (String header = parser.nextName(); header != null; header = parser.nextName()) {
      JsonToken value = parser.nextToken();
      if (value != JsonToken.VALUE_STRING) {
        parser.skipChildren();
        continue;
      }
      String text = parser.getString();
      if (header.equalsIgnoreCase("content-type")) {
        contentType = mediaType(name, text);
      }
      if (!HEADER_NAME.matcher(header).matches()) {
        throw refused(name, "\"" + header + "\" is not a valid header name");
      }
      String problem = HEADER_VALUE.problem(text);
      if (problem != null) {
        throw refused(name, "the header " + header + " " + problem);
      }
      headers.put(header.toLowerCase(Locale.ROOT), text);
      if (headers.size() > MAX_HEADERS) {
        throw refused(name, "may have at most " + MAX_HEADERS + " headers");
      }
    }
  }

  private static String mediaType(String name, String text) {
    boolean fits =
        text.length() <= MAX_MEDIA_TYPE
            && text.matches("[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(\\s*;[ -~]*)?");
    if (!fits) {
      throw refused(name, "the content-type header must be a media type such as text/plain");
    }
    return text;
  }

  private static InvalidFields refused(String name, String problem) {
    return new InvalidFields(Problem.inBody(name, problem));
  }

  /** Fields that have no effect. */
  List<String> unknown() {
    return unknown;
  }

  /**
   * @throws InvalidFields if there is a field that has no effect
   */
  void refuseUnknown() {
    if (!unknown.isEmpty()) {
      throw new InvalidFields(
          unknown.stream()
              .map(name -> Problem.unknown(List.of("body", name), FIELDS.keySet()))
              .toList());
    }
  }

  String eventType() {
    return eventType == null ? "" : eventType;
  }

  /** As stored with a message; null if there are none. */
  @Nullable String headers() {
    return headers.isEmpty() ? null : Json.write(headers);
  }

  @Nullable String eventId() {
    return eventId;
  }

  List<String> channels() {
    return channels;
  }

  List<String> tags() {
    return tags;
  }

  /** What will be sent. */
  public byte[] payload() {
    if (rawPayload != null) {
      return rawPayload;
    }
    return payload == null ? new byte[0] : payload;
  }

  /**
   * Null means a JSON object. A raw payload is one too if it parses as such and the request does
   * not set otherwise; other JSON is named, for clients that read a message expect an object in it.
   */
  @Nullable String contentType() {
    if (rawPayload == null) {
      return null;
    }
    if (contentType != null && !contentType.startsWith(JSON)) {
      return contentType;
    }
    if (kind == JsonToken.START_OBJECT) {
      return null;
    }
    if (contentType != null) {
      return contentType;
    }
    if (kind != null) {
      return JSON;
    }
    return encoded ? "application/octet-stream" : "text/plain; charset=utf-8";
  }

  /** How long the payload is kept; null means as long as the message. */
  @Nullable Long retentionHours() {
    if (retentionHours != null) {
      return retentionHours;
    }
    return retentionDays == null ? null : retentionDays * 24;
  }

  @Nullable Long deliverAtMs() {
    return deliverAtMs;
  }

  @Nullable Integer maxRetries() {
    return maxRetries;
  }

  /** An application to be created if it does not exist; null if the request has none. */
  byte @Nullable [] application() {
    return application;
  }
}
