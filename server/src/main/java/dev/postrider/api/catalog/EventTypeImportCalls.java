package dev.postrider.api.catalog;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.http.Call;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventType.Owner;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.eventtype.OpenApiImport;
import dev.postrider.eventtype.SchemaVersions;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Imports event types from an OpenAPI document. */
final class EventTypeImportCalls {
  private final EventTypeStore store;

  EventTypeImportCalls(EventTypeStore store) {
    this.store = store;
  }

  void openApi(Call call) throws IOException {
    Fields fields = call.fields();
    boolean dryRun = fields.flag("dryRun", false);
    boolean replaceAll = fields.flag("replaceAll", false);
    List<OpenApiImport.Found> found = found(fields);
    fields.check();
    List<String> archived =
        dryRun
            ? List.of()
            : store.upsertAll(
                Owner.environment(call.environmentId()),
                found.stream().map(EventTypeImportCalls::upsert).toList(),
                replaceAll);
    List<String> names = new ArrayList<>(found.stream().map(OpenApiImport.Found::name).toList());
    names.addAll(archived);
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.object(
                        "data",
                        data -> {
                          data.texts("modified", dryRun ? List.of() : names);
                          if (dryRun) {
                            data.array("to_modify", found, EventTypeImportCalls::write);
                          }
                        })));
  }

  private static List<OpenApiImport.Found> found(Fields fields) {
    String raw = fields.text("specRaw", TextRule.of(1, Limits.OPENAPI_DOCUMENT));
    String spec = fields.json("spec", Limits.OPENAPI_DOCUMENT);
    String field = raw == null ? "spec" : "specRaw";
    if (raw == null && spec == null) {
      fields.problem(
          "spec", "is required: an OpenAPI document as an object, or its text in specRaw");
      return List.of();
    }
    try {
      JsonNode document =
          raw != null ? OpenApiImport.parse(raw) : Json.MAPPER.readTree(String.valueOf(spec));
      List<OpenApiImport.Found> found = OpenApiImport.of(document);
      found.forEach(one -> refuseUnfit(fields, field, one));
      if (found.size() > Limits.IMPORTED_EVENT_TYPES) {
        fields.problem(field, "may have at most " + Limits.IMPORTED_EVENT_TYPES + " webhooks");
      }
      return found;
    } catch (IllegalArgumentException e) {
      fields.problem(field, String.valueOf(e.getMessage()));
      return List.of();
    }
  }

  private static void refuseUnfit(Fields fields, String field, OpenApiImport.Found one) {
    check(fields, field, "the name of the webhook", Limits.EVENT_TYPE_RULE, one.name());
    check(
        fields, field, "a description", TextRule.upTo(Limits.OPENAPI_DOCUMENT), one.description());
    check(fields, field, "x-group-name", Limits.EVENT_TYPE_RULE, one.groupName());
    for (String flag : one.featureFlags()) {
      check(fields, field, "x-feature-flags", Limits.UID_RULE, flag);
    }
    if (one.featureFlags().size() > Limits.FEATURE_FLAGS) {
      fields.problem(field, "x-feature-flags may have at most " + Limits.FEATURE_FLAGS + " items");
    }
    if (one.schema() != null && one.schema().toString().length() > Limits.SCHEMAS / 2) {
      fields.problem(
          field,
          "the schema of " + one.name() + " has more than " + Limits.SCHEMAS / 2 + " characters");
    }
  }

  private static void check(
      Fields fields, String field, String what, TextRule rule, @Nullable String text) {
    String problem = text == null ? null : rule.problem(text);
    if (problem != null) {
      fields.problem(field, what + " " + problem);
    }
  }

  private static EventTypeStore.Upsert upsert(OpenApiImport.Found found) {
    String schemas =
        found.schema() == null ? null : SchemaVersions.with(null, found.schema(), Limits.SCHEMAS);
    EventType.Spec fresh =
        EventType.Spec.of(shortened(found.description()))
            .with(EventTypeFields.DEPRECATED, found.deprecated())
            .with(EventTypeFields.FEATURE_FLAGS, found.featureFlags())
            .with(EventTypeFields.GROUP_NAME, found.groupName())
            .with(EventTypeFields.SCHEMAS, schemas);
    return new EventTypeStore.Upsert(found.name(), fresh, before -> merged(fresh, before, found));
  }

  /** A document has no fields of our own, and adds a version to the schemas. */
  private static EventType.Spec merged(
      EventType.Spec fresh, EventType.Spec before, OpenApiImport.Found found) {
    String schemas = before.get(EventTypeFields.SCHEMAS);
    return fresh
        .with(EventTypeFields.SCHEMA_CHECK, before.get(EventTypeFields.SCHEMA_CHECK))
        .with(EventTypeFields.RETRY_POLICY, before.get(EventTypeFields.RETRY_POLICY))
        .with(
            EventTypeFields.SCHEMAS,
            found.schema() == null
                ? schemas
                : SchemaVersions.with(schemas, found.schema(), Limits.SCHEMAS));
  }

  private static String shortened(String description) {
    return description.length() <= Limits.DESCRIPTION
        ? description
        : description.substring(0, Limits.DESCRIPTION - 1) + "…";
  }

  private static void write(JsonOut out, OpenApiImport.Found found) {
    out.text("name", found.name())
        .text("description", shortened(found.description()))
        .flag("deprecated", found.deprecated())
        .raw(
            "schemas",
            found.schema() == null
                ? null
                : SchemaVersions.with(null, found.schema(), Limits.SCHEMAS))
        .textOrNull("groupName", found.groupName())
        .textsOrNull("featureFlags", found.featureFlags());
  }
}
