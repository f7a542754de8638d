package dev.postrider.delivery.shape;

import dev.postrider.endpoint.AgentRoute;
import dev.postrider.expression.FormBytes;
import dev.postrider.expression.JsonBytes;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.json.Utf8;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds the body that a handler receives for a message with an agent route: the original message
 * and the data of the route.
 */
final class Envelope {
  private static final int MAX_VALUE_BYTES = 64 * 1024 * 1024;

  private Envelope() {}

  /**
   * A payload as expressions see it: JSON as it is, a form as an object, everything else a string.
   */
  static @Nullable Object value(byte[] payload, @Nullable String contentType) {
    return FormBytes.isForm(contentType)
        ? FormBytes.read(payload)
        : JsonBytes.read(payload, Json.isType(contentType));
  }

  static byte[] of(Shaping.Subject subject, AgentRoute route, @Nullable String session) {
    Map<String, @Nullable Object> head = new LinkedHashMap<>();
    head.put("agent_intent", route.instructions().agentIntent());
    head.put("target_session", route.instructions().targetSession());
    head.put("session_id", session);
    head.put("source", subject.source());
    head.put("event_type", subject.eventType());
    head.put("message_id", subject.messageId().text(IdKind.MESSAGE));
    if (!route.instructions().annotations().isEmpty()) {
      head.put("annotations", route.instructions().annotations());
    }
    byte[] payload = payload(subject, head);
    byte[] json = JsonBytes.write(head, MAX_VALUE_BYTES);
    ByteArrayOutputStream out = new ByteArrayOutputStream(json.length + payload.length + 16);
    out.write(json, 0, json.length - 1);
    out.writeBytes(",\"payload\":".getBytes(StandardCharsets.UTF_8));
    out.writeBytes(payload);
    out.write('}');
    return out.toByteArray();
  }

  /** The original: its own bytes if they are JSON, so that no digit is lost. */
  private static byte[] payload(Shaping.Subject subject, Map<String, @Nullable Object> head) {
    byte[] payload = subject.payload();
    String contentType = subject.contentType();
    if (Json.isType(contentType) && parses(payload)) {
      return payload;
    }
    head.put("content_type", contentType == null ? "application/json" : contentType);
    if (FormBytes.isForm(contentType)) {
      return JsonBytes.write(FormBytes.read(payload), MAX_VALUE_BYTES);
    }
    if (Utf8.valid(payload)) {
      return JsonBytes.write(new String(payload, StandardCharsets.UTF_8), MAX_VALUE_BYTES);
    }
    head.put("encoding", "base64");
    return JsonBytes.write(Base64.getEncoder().encodeToString(payload), MAX_VALUE_BYTES);
  }

  private static boolean parses(byte[] payload) {
    try {
      Json.MAPPER.readTree(payload);
      return payload.length > 0;
    } catch (RuntimeException e) {
      return false;
    }
  }
}
