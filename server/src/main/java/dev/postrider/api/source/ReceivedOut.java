package dev.postrider.api.source;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.delivery.store.ReceivedReader.Received;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.RejectedRequest;
import dev.postrider.inbound.SignatureStatus;
import dev.postrider.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Writes received messages and rejected requests. */
final class ReceivedOut {
  static final String ACCEPTED = "accepted";
  static final String REJECTED = "rejected";

  private ReceivedOut() {}

  /** A request to a source, in the list that has both. */
  sealed interface Item {
    Id id();

    String idText();

    /**
     * @param names of the sources, by the application that their messages belong to
     */
    void write(JsonOut out, Map<Id, String> names);
  }

  /** A request that became a message. */
  record Accepted(Received message) implements Item {
    @Override
    public Id id() {
      return message.id();
    }

    @Override
    public String idText() {
      return message.id().text(IdKind.MESSAGE);
    }

    @Override
    public void write(JsonOut out, Map<Id, String> names) {
      Headers headers = Headers.of(message.headers());
      out.text("id", idText())
          .text("outcome", ACCEPTED)
          .textOrNull("source", names.get(message.applicationId().value()))
          .text("applicationId", message.applicationId().text())
          .text("eventType", message.eventType())
          .textOrNull("signature", headers.ours(":signature"))
          .numberOrNull("status", null)
          .textOrNull("reason", null)
          .textOrNull("detail", null)
          .textOrNull("method", headers.ours(":method"))
          .textOrNull("address", headers.ours(":address"))
          .textsByName("headers", headers.sent())
          .number("bytes", message.payloadBytes())
          .number("deliveries", message.deliveries())
          .time("timestamp", message.id().epochMs());
    }
  }

  /** A request that was rejected. */
  record Rejected(RejectedRequest request) implements Item {
    @Override
    public Id id() {
      return request.id();
    }

    @Override
    public String idText() {
      return request.id().text(IdKind.REJECTED);
    }

    @Override
    public void write(JsonOut out, Map<Id, String> names) {
      out.text("id", idText())
          .text("outcome", REJECTED)
          .textOrNull("source", request.source().isEmpty() ? null : request.source())
          .text("applicationId", request.applicationId().text(IdKind.APPLICATION))
          .textOrNull("eventType", null)
          .textOrNull("signature", signature(request))
          .number("status", request.refusal().status())
          .text("reason", request.refusal().reason())
          .text("detail", request.refusal().detail())
          .text("method", request.method())
          .text("address", request.address())
          .textsByName("headers", request.headers())
          .numberOrNull("bytes", request.bodyBytes() < 0 ? null : request.bodyBytes())
          .number("deliveries", 0)
          .time("timestamp", request.id().epochMs());
    }
  }

  /**
   * The stored headers of a message.
   *
   * @param known what the server added, under names that begin with a colon
   */
  private record Headers(Map<String, String> known, Map<String, String> sent) {
    static Headers of(@Nullable String stored) {
      Headers headers = new Headers(new LinkedHashMap<>(), new LinkedHashMap<>());
      if (stored != null) {
        for (Map.Entry<String, JsonNode> entry : Json.MAPPER.readTree(stored).properties()) {
          boolean ours = entry.getKey().startsWith(":");
          (ours ? headers.known : headers.sent).put(entry.getKey(), entry.getValue().asString());
        }
      }
      return headers;
    }

    @Nullable String ours(String name) {
      return known.get(name);
    }
  }

  static void write(JsonOut out, Received message) {
    Headers headers = Headers.of(message.headers());
    out.text("id", message.id().text(IdKind.MESSAGE))
        .text("eventType", message.eventType())
        .text(
            "contentType",
            message.contentType() == null ? "application/json" : message.contentType())
        .textOrNull("signature", headers.ours(":signature"))
        .textOrNull("address", headers.ours(":address"))
        .textOrNull("method", headers.ours(":method"))
        .textsByName("headers", headers.sent())
        .number("bytes", message.payloadBytes())
        .number("deliveries", message.deliveries())
        .flag("unrouted", message.unrouted())
        .time("timestamp", message.id().epochMs());
  }

  private static @Nullable String signature(RejectedRequest request) {
    SignatureStatus status = request.signature();
    return status == null ? null : status.text();
  }

  static void write(JsonOut out, RejectedRequest item) {
    byte[] body = item.body();
    out.text("id", item.id().text(IdKind.REJECTED))
        .text("source", item.source())
        .number("status", item.refusal().status())
        .text("reason", item.refusal().reason())
        .text("detail", item.refusal().detail())
        .textOrNull("signature", signature(item))
        .text("method", item.method())
        .text("address", item.address())
        .textsByName("headers", item.headers())
        .numberOrNull("bodyBytes", item.bodyBytes() < 0 ? null : item.bodyBytes())
        .time("timestamp", item.id().epochMs());
    if (body == null) {
      out.textOrNull("body", null);
    } else if (body.length < item.bodyBytes()) {
      PayloadOut.cutText(out, "body", "bodyEncoding", body);
    } else {
      PayloadOut.text(out, "body", "bodyEncoding", body);
    }
  }
}
