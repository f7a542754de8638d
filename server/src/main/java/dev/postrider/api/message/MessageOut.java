package dev.postrider.api.message;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.api.http.Errors;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.json.Problem;
import dev.postrider.json.Times;
import dev.postrider.json.Utf8;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/**
 * Writes a message. The response to a send is written without the JSON library, because it is
 * needed for every message.
 */
public final class MessageOut {
  private static final byte[] NO_CONTENT = {'{', '}'};
  private static final byte[] END = {'}'};
  private static final byte[] EXPIRED = "{\"expired\":true}".getBytes(StandardCharsets.US_ASCII);

  private MessageOut() {}

  /** The fields of a message. */
  static void write(JsonOut out, Message message, boolean withContent) {
    out.text("id", message.id().text())
        .text("eventType", message.eventType())
        .textOrNull("eventId", message.eventId())
        .textsOrNull("channels", message.channels())
        .textsOrNull("tags", message.tags());
    if (message.deliverAt() != null) {
      out.time("deliverAt", message.deliverAt());
    }
    if (message.maxRetries() != null) {
      out.number("maxRetries", message.maxRetries());
    }
    payload(out, message, withContent);
    headers(out, message);
    out.time("timestamp", message.id().value().epochMs());
  }

  /** Those of the request that brought it; what we know besides stands under names with a colon. */
  private static void headers(JsonOut out, Message message) {
    if (message.headers() != null) {
      Map<String, String> own = new LinkedHashMap<>(Json.texts(message.headers()));
      own.keySet().removeIf(name -> name.startsWith(":"));
      if (!own.isEmpty()) {
        out.textsByName("headers", own);
      }
    }
  }

  static void payload(JsonOut out, Message message, boolean withContent) {
    byte[] payload = message.payload();
    if (!withContent || payload == null) {
      out.raw("payload", new String(withContent ? EXPIRED : NO_CONTENT, StandardCharsets.US_ASCII));
    } else {
      String type = message.contentType();
      payload(out, payload, type);
      if (type != null || !isObject(payload, null)) {
        out.text("contentType", type == null ? "application/json" : type);
      }
    }
  }

  /** An object as it is, all else as a text within one, because typed clients expect an object. */
  public static void payload(JsonOut out, byte[] payload, @Nullable String contentType) {
    boolean text = Utf8.valid(payload);
    String shown =
        text
            ? new String(payload, StandardCharsets.UTF_8)
            : Base64.getEncoder().encodeToString(payload);
    if (isObject(payload, contentType)) {
      out.raw("payload", shown);
    } else {
      out.object("payload", o -> o.text("rawPayload", shown));
    }
    if (!text) {
      out.text(PayloadOut.ENCODING, PayloadOut.BASE64);
    }
  }

  /**
   * A payload without a content type was checked to be JSON when it was accepted: its first
   * character decides.
   */
  private static boolean isObject(byte[] payload, @Nullable String contentType) {
    if (contentType != null) {
      return Json.isType(contentType) && Json.kind(payload) == JsonToken.START_OBJECT;
    }
    int at = 0;
    while (at < payload.length && " \t\r\n".indexOf(payload[at]) >= 0) {
      at++;
    }
    return at < payload.length && payload[at] == '{';
  }

  /** The complete response to a send. All but the payload and the warnings is ASCII. */
  static byte[] accepted(
      AcceptResult.Accepted accepted,
      MessageBody message,
      boolean withContent,
      @Nullable Long deliverAtMs) {
    Id id = accepted.messageId().value();
    byte[] payload = withContent && message.contentType() == null ? message.payload() : NO_CONTENT;
    StringBuilder head = new StringBuilder(256);
    head.append("{\"id\":\"").append(id.text(IdKind.MESSAGE));
    head.append("\",\"eventType\":\"").append(message.eventType());
    head.append("\",\"eventId\":");
    quoted(head, message.eventId());
    head.append(",\"channels\":");
    array(head, message.channels());
    head.append(",\"tags\":");
    array(head, message.tags());
    if (deliverAtMs != null) {
      head.append(",\"deliverAt\":\"").append(Times.text(deliverAtMs)).append('"');
    }
    if (message.maxRetries() != null) {
      head.append(",\"maxRetries\":").append(message.maxRetries());
    }
    head.append(",\"timestamp\":\"").append(Times.text(id.epochMs()));
    head.append("\",\"payload\":");
    byte[] end = accepted.warnings().isEmpty() ? END : warnings(accepted.warnings());
    byte[] whole = new byte[head.length() + payload.length + end.length];
    for (int i = 0; i < head.length(); i++) {
      whole[i] = (byte) head.charAt(i);
    }
    System.arraycopy(payload, 0, whole, head.length(), payload.length);
    System.arraycopy(end, 0, whole, head.length() + payload.length, end.length);
    return whole;
  }

  private static byte[] warnings(List<Problem> warnings) {
    byte[] object = JsonOut.bytes(out -> out.object(o -> Errors.problems(o, "warnings", warnings)));
    object[0] = ',';
    return object;
  }

  /** The characters of these names need no escape but for the backslash of tags. */
  private static void quoted(StringBuilder out, @Nullable String name) {
    if (name == null) {
      out.append("null");
    } else {
      out.append('"')
          .append(name.indexOf('\\') < 0 ? name : name.replace("\\", "\\\\"))
          .append('"');
    }
  }

  private static void array(StringBuilder out, List<String> names) {
    if (names.isEmpty()) {
      out.append("null");
      return;
    }
    out.append('[');
    for (int i = 0; i < names.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      quoted(out, names.get(i));
    }
    out.append(']');
  }
}
