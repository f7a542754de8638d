package dev.postrider.api.source;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.config.Quantities;
import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.RejectedRequest;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceSecret;
import dev.postrider.inbound.source.SourceStore;
import dev.postrider.inbound.verify.Verifier;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import dev.postrider.json.Times;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.UpsertResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The API of sources, their received messages and rejected requests. */
final class SourceCalls {
  static final Duration MAX_OVERLAP = Duration.ofDays(7);

  private static final TextRule SECRET = TextRule.of(1, Limits.SOURCE_SECRET);

  private final SourceStore store;
  private final RejectedRequestStore rejected;
  private final ReceivedReader received;

  SourceCalls(SourceServices services) {
    this.store = services.sources();
    this.rejected = services.rejected();
    this.received = services.received();
  }

  Source inPath(Call call) {
    Source found = store.find(call.environmentId(), call.path("source"));
    if (found == null) {
      throw ApiError.notFound("source");
    }
    return found;
  }

  void list(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.SOURCE, text));
    Keyset.Page<Source> page = store.list(call.environmentId(), keyset);
    ObjectNode out = Json.MAPPER.createObjectNode();
    var data = out.putArray("data");
    page.items().forEach(source -> data.add(shown(source)));
    boolean empty = page.items().isEmpty();
    out.put("iterator", empty ? null : idText(page.items().getLast()));
    out.put("prevIterator", empty ? null : "-" + idText(page.items().getFirst()));
    out.put("done", page.done());
    call.json(200, out.toString().getBytes(StandardCharsets.UTF_8));
  }

  void create(Call call) throws IOException {
    Fields fields = call.fields();
    SourceForm form = SourceFields.read(fields);
    List<SourceSecret> secrets = secrets(fields);
    fields.check();
    answer(
        call, 201, store.create(call.environmentId(), form, secrets == null ? List.of() : secrets));
  }

  void get(Call call) {
    answer(call, 200, inPath(call));
  }

  /** Creates or updates the source; its name is in the path. */
  void put(Call call) throws IOException {
    byte[] body = named(call.body(), name(call));
    Fields fields = Fields.of(body);
    SourceForm form = SourceFields.read(fields);
    List<SourceSecret> secrets = secrets(fields);
    fields.check();
    UpsertResult<Source> saved = store.upsert(call.environmentId(), form, secrets);
    answer(call, saved.created() ? 201 : 200, saved.value());
  }

  private String name(Call call) {
    return call.path("source").startsWith(IdKind.SOURCE.prefix())
        ? inPath(call).form().name()
        : call.path("source");
  }

  private static byte[] named(byte[] body, String name) {
    Fields.of(body);
    ObjectNode object = (ObjectNode) Json.MAPPER.readTree(body);
    if (!object.has("name")) {
      object.put("name", name);
    }
    return object.toString().getBytes(StandardCharsets.UTF_8);
  }

  void patch(Call call) throws IOException {
    byte[] body = call.body();
    Fields given = Fields.of(body, _ -> {}); // all of it is checked in the whole that it becomes
    List<SourceSecret> secrets = secrets(given);
    given.check();
    UnaryOperator<SourceForm> change =
        before -> {
          Fields fields = SourceFields.over(before, body);
          secrets(fields);
          SourceForm form = SourceFields.read(fields);
          fields.check();
          return form;
        };
    Source after = store.update(call.environmentId(), call.path("source"), change, secrets);
    if (after == null) {
      throw ApiError.notFound("source");
    }
    answer(call, 200, after);
  }

  void delete(Call call) {
    if (!store.delete(call.environmentId(), call.path("source"))) {
      throw ApiError.notFound("source");
    }
    call.noContent();
  }

  /** Newest first; null if the request does not contain secrets. */
  private static @Nullable List<SourceSecret> secrets(Fields fields) {
    List<String> texts = fields.texts("secrets", 0, Verifier.MAX_SECRETS, SECRET);
    String one = fields.text("secret", SECRET);
    if (one != null && texts != null) {
      fields.problem("secret", "and secrets are mutually exclusive; remove one of them");
    }
    if (one != null) {
      texts = List.of(one);
    }
    if (texts == null) {
      return fields.has("secret") || fields.has("secrets") ? List.of() : null;
    }
    if (texts.stream().anyMatch(String::isBlank)) {
      fields.problem("secret", "must not be empty; use the secret of the provider");
      return null;
    }
    return texts.stream().map(SourceSecret::of).toList();
  }

  void rotate(Call call) throws IOException {
    Fields fields = call.fields();
    String secret = fields.requiredText("secret", SECRET);
    Duration overlap = overlap(fields);
    if (secret.isBlank() && fields.has("secret")) {
      fields.problem("secret", "must not be empty; use the new secret of the provider");
    }
    fields.check();
    Source after =
        store.rotate(call.environmentId(), call.path("source"), SourceSecret.of(secret), overlap);
    if (after == null) {
      throw ApiError.notFound("source");
    }
    answer(call, 200, after);
  }

  private static Duration overlap(Fields fields) {
    String text = fields.text("overlap", TextRule.of(1, 20));
    if (text == null) {
      return SourceStore.DEFAULT_OVERLAP;
    }
    try {
      Duration overlap = Quantities.parseDuration(text);
      if (overlap.compareTo(MAX_OVERLAP) > 0) {
        fields.problem("overlap", "must be at most 7d");
      }
      return overlap;
    } catch (IllegalArgumentException e) {
      fields.problem("overlap", String.valueOf(e.getMessage()));
      return SourceStore.DEFAULT_OVERLAP;
    }
  }

  static String idText(Source source) {
    return source.id().text(IdKind.SOURCE);
  }

  private static void answer(Call call, int status, Source source) {
    call.json(status, shown(source).toString().getBytes(StandardCharsets.UTF_8));
  }

  private static ObjectNode shown(Source source) {
    ObjectNode out = Json.MAPPER.createObjectNode();
    out.put("id", idText(source));
    out.setAll(SourceFields.write(source.form()));
    out.put("applicationId", source.applicationId().text(IdKind.APPLICATION));
    if (!source.hasToken()) {
      out.put("path", "/in/" + source.key());
    }
    var secrets = out.putArray("secrets");
    for (Source.SecretNote note : source.secrets()) {
      ObjectNode one = secrets.addObject();
      one.put("createdAt", Times.text(note.createdAtMs()));
      Long end = note.expiresAtMs();
      one.put("expiresAt", end == null ? null : Times.text(end));
    }
    if (source.form().verify().equals("none") && source.form().cron() == null) {
      out.put(
          "warning",
          "requests to this source are not verified: everyone who knows the URL can send; set"
              + " verify if the provider supports it");
    }
    out.put("createdAt", Times.text(source.createdAtMs()));
    out.put("updatedAt", Times.text(source.updatedAtMs()));
    return out;
  }

  // ---- received and rejected requests ----

  void received(Call call) {
    boolean unrouted = call.query().flag("unrouted", false);
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.MESSAGE, text), false);
    Source source = inPath(call);
    ReceivedReader.Found found = received.list(source.applicationId(), unrouted, keyset);
    call.json(
        200,
        Pages.searched(
            found.page(),
            keyset.backward(),
            found.reached() == null ? null : found.reached().text(IdKind.MESSAGE),
            message -> message.id().text(IdKind.MESSAGE),
            SourceCalls::writeReceived));
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
    Keyset.Page<RejectedRequest> page = rejected.list(inPath(call), reason, keyset);
    call.json(
        200, Pages.page(page, item -> item.id().text(IdKind.REJECTED), SourceCalls::writeRejected));
  }

  private static void writeRejected(JsonOut out, RejectedRequest item) {
    byte[] body = item.body();
    out.text("id", item.id().text(IdKind.REJECTED))
        .text("source", item.source())
        .number("status", item.status())
        .text("reason", item.reason())
        .text("detail", item.detail())
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
