package dev.postrider.api.source;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.api.http.Call;
import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.RejectedRequest;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.source.Source;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Keyset;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** The lists of received messages and rejected requests. */
final class ReceivedCalls {
  private final SourceCalls sources;
  private final RejectedRequestStore rejected;
  private final ReceivedReader received;

  ReceivedCalls(SourceCalls sources, SourceServices services) {
    this.sources = sources;
    this.rejected = services.rejected();
    this.received = services.received();
  }

  void received(Call call) {
    boolean unrouted = call.query().flag("unrouted", false);
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.MESSAGE, text), false);
    Source source = sources.inPath(call);
    call.json(
        200,
        Pages.searched(
            received.list(source.applicationId(), unrouted, keyset),
            keyset.backward(),
            IdKind.MESSAGE,
            message -> message.id().text(IdKind.MESSAGE),
            ReceivedCalls::writeReceived));
  }

  private static void writeReceived(JsonOut out, ReceivedReader.Received message) {
    Map<String, String> known = new LinkedHashMap<>();
    Map<String, String> headers = new LinkedHashMap<>();
    String stored = message.headers();
    if (stored != null) {
      for (Map.Entry<String, JsonNode> entry : Json.MAPPER.readTree(stored).properties()) {
        boolean ours = entry.getKey().startsWith(":");
        (ours ? known : headers).put(entry.getKey(), entry.getValue().asString());
      }
    }
    out.text("id", message.id().text(IdKind.MESSAGE))
        .text("eventType", message.eventType())
        .text(
            "contentType",
            message.contentType() == null ? "application/json" : message.contentType())
        .textOrNull("signature", known.get(":signature"))
        .textOrNull("address", known.get(":address"))
        .textOrNull("method", known.get(":method"))
        .textsByName("headers", headers)
        .number("bytes", message.payloadBytes())
        .number("deliveries", message.deliveries())
        .flag("unrouted", message.unrouted())
        .time("timestamp", message.id().epochMs());
  }

  void rejected(Call call) {
    String reason = call.query().text("reason", TextRule.of(1, 64));
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.REJECTED, text), false);
    Keyset.Page<RejectedRequest> page = rejected.list(sources.inPath(call), reason, keyset);
    call.json(
        200,
        Pages.page(page, item -> item.id().text(IdKind.REJECTED), ReceivedCalls::writeRejected));
  }

  private static void writeRejected(JsonOut out, RejectedRequest item) {
    byte[] body = item.body();
    out.text("id", item.id().text(IdKind.REJECTED))
        .text("source", item.source())
        .number("status", item.refusal().status())
        .text("reason", item.refusal().reason())
        .text("detail", item.refusal().detail())
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
