package dev.postrider.api.source;

import dev.postrider.api.form.FieldInput;
import dev.postrider.api.form.FieldOutput;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.config.Quantities;
import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.UpsertResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** The API calls for sources, their received messages and rejected requests. */
final class SourceCalls {
  static final Duration MAX_OVERLAP = Duration.ofDays(7);

  /** The rest is checked where the source is compiled. */
  private static final FieldInput.Checks CHECKS = new FieldInput.Checks() {};

  private final SourceStore store;

  SourceCalls(SourceServices services) {
    this.store = services.sources();
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
    call.json(200, Pages.page(page, SourceCalls::idText, SourceCalls::write));
  }

  void create(Call call) throws IOException {
    FieldInput input = input(call.fields(), true);
    SecretChange secrets = SourceSecretFields.change(input, true);
    answer(call, 201, store.create(call.environmentId(), form(input), secrets));
  }

  void get(Call call) {
    answer(call, 200, inPath(call));
  }

  /** Creates or updates the source; its name is in the path. */
  void put(Call call) throws IOException {
    byte[] body = named(call.body(), name(call));
    FieldInput input = input(Fields.of(body), true);
    SecretChange secrets = SourceSecretFields.change(input, true);
    UpsertResult<Source> saved = store.upsert(call.environmentId(), form(input), secrets);
    answer(call, saved.created() ? 201 : 200, saved.value());
  }

  private static SourceForm form(FieldInput input) {
    return new SourceForm(input.changes().onto(FieldValues.NONE));
  }

  private static FieldInput input(Fields fields, boolean whole) {
    FieldInput input = new FieldInput(fields, whole, CHECKS);
    SourceFields.ALL.forEach(input::read);
    fields.check();
    return input;
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
    FieldInput input = input(Fields.of(call.body()), false);
    SecretChange secrets = SourceSecretFields.change(input, false);
    UnaryOperator<SourceForm> change =
        before -> new SourceForm(input.changes().onto(before.values()));
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

  void rotate(Call call) throws IOException {
    Fields fields = call.fields();
    String secret = fields.requiredText("secret", SourceFields.ONE_SECRET.rule());
    String eventTypes = SourceSecretFields.eventTypes(fields);
    Duration overlap = overlap(fields);
    String problem = SourceFields.ONE_SECRET.problem(secret);
    if (problem != null && !fields.isNull("secret")) {
      fields.problem("secret", problem);
    }
    fields.check();
    Source after =
        store.rotate(
            call.environmentId(),
            call.path("source"),
            eventTypes,
            SourceSecret.of(secret),
            overlap);
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
    call.json(status, out -> out.object(o -> write(o, source)));
  }

  private static void write(JsonOut out, Source source) {
    out.text("id", idText(source));
    FieldOutput.write(out, SourceFields.ALL, source.form().values());
    out.text("applicationId", source.applicationId().text(IdKind.APPLICATION));
    if (!source.hasToken()) {
      out.text("path", "/in/" + source.key());
    }
    out.array(
        "secrets",
        source.secrets(),
        (o, note) ->
            o.textOrNull("eventType", SourceSecretFields.shown(note))
                .time("createdAt", note.createdAtMs())
                .timeOrNull("expiresAt", note.expiresAtMs()));
    if (source.form().verify().equals(SourceForm.NONE) && !source.form().isCron()) {
      out.text(
          "warning",
          "requests to this source are not verified: everyone who knows the URL can send; set"
              + " verify if the provider supports it");
    } else if (source.form().skipsVerification()) {
      out.text("warning", SourceForm.SKIPS_VERIFICATION);
    }
    out.time("createdAt", source.createdAtMs()).time("updatedAt", source.updatedAtMs());
  }
}
