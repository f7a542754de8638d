package dev.postrider.api.catalog;

import dev.postrider.api.form.FieldOutput;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventType.Owner;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.json.Fields;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.UpsertResult;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The API calls for event types, of an environment or of one application. */
final class EventTypeCalls {
  private final EventTypeStore store;
  private final Evaluator evaluator;
  private final Function<Call, Owner> owner;

  /**
   * @param owner the owner of the event types of a request
   */
  private EventTypeCalls(EventTypeStore store, Evaluator evaluator, Function<Call, Owner> owner) {
    this.store = store;
    this.evaluator = evaluator;
    this.owner = owner;
  }

  static EventTypeCalls ofEnvironment(EventTypeStore store, Evaluator evaluator) {
    return new EventTypeCalls(store, evaluator, call -> Owner.environment(call.environmentId()));
  }

  static EventTypeCalls ofApplication(
      EventTypeStore store, Evaluator evaluator, ApplicationLookup applications) {
    return new EventTypeCalls(
        store, evaluator, call -> new Owner(call.environmentId(), applications.inPath(call).id()));
  }

  void list(Call call) {
    Query query = call.query();
    boolean withContent = query.flag("with_content", false);
    boolean archived = query.flag("include_archived", false);
    boolean environment = query.flag("include_environment", false);
    Keyset<String> keyset =
        query.page(text -> Limits.EVENT_TYPE_RULE.problem(text) == null ? text : null);
    Owner whose = owner.apply(call);
    Set<String> flags = call.key().featureFlags();
    Keyset.Page<EventType> page =
        environment
            ? store.listInEffect(whose, archived, flags, keyset)
            : store.list(whose, archived, flags, keyset);
    call.json(200, Pages.page(page, EventType::name, (out, type) -> write(out, type, withContent)));
  }

  void create(Call call) throws IOException {
    Owner whose = owner.apply(call);
    Fields fields = call.fields();
    String name = fields.requiredText("name", Limits.EVENT_TYPE_RULE);
    EventType.Spec spec = new EventTypeForm(whose, evaluator).fresh(fields);
    UpsertResult<EventType> saved = store.create(whose, name, spec);
    if (!saved.created()) {
      throw ApiError.conflict("an event type with the name " + name + " already exists");
    }
    answer(call, 201, saved.value());
  }

  void get(Call call) {
    EventType found = present(store.find(owner.apply(call), name(call)));
    Set<String> flags = call.key().featureFlags();
    List<String> needed = found.spec().get(EventTypeFields.FEATURE_FLAGS);
    if (flags != null && !needed.isEmpty() && Collections.disjoint(flags, needed)) {
      throw ApiError.notFound("event type");
    }
    answer(call, 200, found);
  }

  void put(Call call) throws IOException {
    Owner whose = owner.apply(call);
    Fields fields = call.fields();
    String problem = Limits.EVENT_TYPE_RULE.problem(name(call));
    if (problem != null) {
      fields.problem("name", problem);
    }
    String given = fields.text("name", Limits.EVENT_TYPE_RULE);
    if (given != null && !given.equals(name(call))) {
      fields.problem("name", "must be the same as in the path, or be left out");
    }
    EventTypeForm form = new EventTypeForm(whose, evaluator);
    UnaryOperator<EventType.Spec> change = form.whole(fields);
    EventType.Spec fresh = change.apply(EventType.Spec.of(""));
    checkBefore(whose, name(call), change);
    UpsertResult<EventType> saved = store.upsert(whose, name(call), fresh, change);
    answer(call, saved.created() ? 201 : 200, saved.value());
  }

  void patch(Call call) throws IOException {
    Owner whose = owner.apply(call);
    UnaryOperator<EventType.Spec> change = new EventTypeForm(whose, evaluator).part(call.fields());
    checkBefore(whose, name(call), change);
    answer(call, 200, present(store.update(whose, name(call), change)));
  }

  /** Compiles the schema before the transaction, so that it does not block other writers. */
  private void checkBefore(Owner whose, String name, UnaryOperator<EventType.Spec> change) {
    EventType before = store.find(whose, name);
    if (before != null) {
      var _ = change.apply(before.spec());
    }
  }

  void delete(Call call) {
    boolean expunge = call.query().flag("expunge", false);
    if (!store.delete(owner.apply(call), name(call), expunge)) {
      throw ApiError.notFound("event type");
    }
    call.noContent();
  }

  private static String name(Call call) {
    return call.path("type");
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
    EventType.Spec spec =
        withContent ? type.spec() : type.spec().with(EventTypeFields.SCHEMAS, null);
    out.text("name", type.name());
    FieldOutput.write(out, EventTypeFields.ALL, spec.values());
    out.text("scope", type.owner().ofEnvironment() ? "environment" : "application")
        .time("createdAt", type.createdAt())
        .time("updatedAt", type.updatedAt());
  }
}
