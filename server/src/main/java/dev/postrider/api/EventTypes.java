package dev.postrider.api;

import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.json.Fields;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Saved;
import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The event-type calls. */
final class EventTypes {
  private final EventTypeStore store;

  EventTypes(EventTypeStore store) {
    this.store = store;
  }

  void list(Call call) {
    Query query = call.query();
    boolean withContent = query.flag("with_content", false);
    Keyset<String> keyset =
        query.page(text -> Limits.EVENT_TYPE_RULE.problem(text) == null ? text : null);
    Keyset.Page<EventType> page =
        store.list(call.environmentId(), query.flag("include_archived", false), keyset);
    call.json(200, Pages.page(page, EventType::name, (out, type) -> write(out, type, withContent)));
  }

  void create(Call call) throws IOException {
    Fields fields = call.fields();
    String name = fields.requiredText("name", Limits.EVENT_TYPE_RULE);
    EventType.Spec spec = whole(fields);
    Saved<EventType> saved = store.create(call.environmentId(), name, spec);
    if (!saved.created()) {
      throw ApiError.conflict("an event type with the name " + name + " exists already");
    }
    answer(call, 201, saved.value());
  }

  void get(Call call) {
    answer(call, 200, present(store.find(call.environmentId(), call.parameter(0))));
  }

  void put(Call call) throws IOException {
    Fields fields = call.fields();
    String problem = Limits.EVENT_TYPE_RULE.problem(call.parameter(0));
    if (problem != null) {
      fields.problem("name", problem);
    }
    EventType.Spec fresh = whole(fields);
    // A Svix client that replaces a type knows nothing of our own field.
    boolean keepPolicy = !fields.has("retryPolicy");
    Saved<EventType> saved =
        store.upsert(
            call.environmentId(),
            call.parameter(0),
            fresh,
            before -> keepPolicy ? fresh.withRetryPolicy(before.retryPolicy()) : fresh);
    answer(call, saved.created() ? 201 : 200, saved.value());
  }

  void patch(Call call) throws IOException {
    UnaryOperator<EventType.Spec> change = part(call.fields());
    answer(call, 200, present(store.update(call.environmentId(), call.parameter(0), change)));
  }

  void delete(Call call) {
    boolean expunge = call.query().flag("expunge", false);
    if (!store.delete(call.environmentId(), call.parameter(0), expunge)) {
      throw ApiError.notFound("event type");
    }
    call.noContent();
  }

  private static EventType.Spec whole(Fields fields) {
    EventType.Spec spec =
        new EventType.Spec(
            fields.requiredText("description", Limits.DESCRIPTION_RULE),
            fields.flag("archived", false),
            fields.flag("deprecated", false),
            featureFlag(fields),
            fields.json("schemas", Limits.SCHEMAS),
            Forms.retryPolicy(fields));
    fields.check();
    return spec;
  }

  /** One flag; the newer clients send a list of at most one. */
  private static @Nullable String featureFlag(Fields fields) {
    List<String> flags = fields.texts("featureFlags", 0, 1, Limits.UID_RULE);
    return flags != null && !flags.isEmpty()
        ? flags.getFirst()
        : fields.text("featureFlag", Limits.UID_RULE);
  }

  private static UnaryOperator<EventType.Spec> part(Fields fields) {
    String description = fields.text("description", Limits.DESCRIPTION_RULE);
    String flag = featureFlag(fields);
    String schemas = fields.json("schemas", Limits.SCHEMAS);
    String retryPolicy = Forms.retryPolicy(fields);
    fields.flag("archived", false);
    fields.flag("deprecated", false);
    fields.check();
    boolean hasFlag = fields.has("featureFlag") || fields.has("featureFlags");
    return before ->
        new EventType.Spec(
            description != null ? description : before.description(),
            fields.flag("archived", before.archived()),
            fields.flag("deprecated", before.deprecated()),
            hasFlag ? flag : before.featureFlag(),
            fields.has("schemas") ? schemas : before.schemas(),
            fields.has("retryPolicy") ? retryPolicy : before.retryPolicy());
  }

  private static EventType present(@Nullable EventType found) {
    if (found == null) {
      throw ApiError.notFound("event type");
    }
    return found;
  }

  private static void answer(Call call, int status, EventType type) {
    call.json(status, out -> out.object(o -> write(o, type, true)));
  }

  private static void write(JsonOut out, EventType type, boolean withContent) {
    EventType.Spec spec = type.spec();
    out.text("name", type.name())
        .text("description", spec.description())
        .flag("archived", spec.archived())
        .flag("deprecated", spec.deprecated())
        .textOrNull("featureFlag", spec.featureFlag())
        .textsOrNull(
            "featureFlags", spec.featureFlag() == null ? List.of() : List.of(spec.featureFlag()))
        .raw("schemas", withContent ? spec.schemas() : null)
        .textOrNull("retryPolicy", spec.retryPolicy())
        .time("createdAt", type.createdAtMs())
        .time("updatedAt", type.updatedAtMs());
  }
}
