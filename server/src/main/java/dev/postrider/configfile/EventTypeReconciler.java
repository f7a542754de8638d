package dev.postrider.configfile;

import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.json.Json;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Event types of the environment. One that leaves the file is archived, for messages still name it.
 */
record EventTypeReconciler(
    EventType.Owner owner, EventTypeStore store, List<Document.NamedEventType> entries)
    implements Reconciler {

  @Override
  public void planDeletes(PlanBuilder plan) {
    Set<String> named =
        entries.stream().map(Document.NamedEventType::name).collect(Collectors.toSet());
    plan.owned(Kind.EVENT_TYPE)
        .forEach(
            (name, id) -> {
              if (named.contains(name)) {
                return;
              }
              EventType found = store.find(owner, name);
              if (found == null || !found.id().equals(id) || found.spec().archived()) {
                plan.release(Kind.EVENT_TYPE, name);
              } else {
                plan.delete(Kind.EVENT_TYPE, name, () -> store.delete(owner, name, false));
              }
            });
  }

  @Override
  public void planUpserts(PlanBuilder plan) {
    for (Document.NamedEventType entry : entries) {
      String name = entry.name();
      EventType found = store.find(owner, name);
      if (found == null || (found.spec().archived() && !entry.spec().archived())) {
        plan.create(
            entry,
            Kind.EVENT_TYPE,
            name,
            () -> store.create(owner, name, entry.spec()).value().id());
        continue;
      }
      plan.update(
          entry,
          Kind.EVENT_TYPE,
          name,
          found.id(),
          difference(found.spec(), entry.spec()),
          () -> store.update(owner, name, _ -> entry.spec()));
    }
  }

  private static Difference difference(EventType.Spec before, EventType.Spec after) {
    return new Difference()
        .of("description", before.description(), after.description())
        .of("archived", before.archived(), after.archived())
        .of("deprecated", before.deprecated(), after.deprecated())
        .of("feature_flags", before.featureFlags(), after.featureFlags())
        .of("group", before.groupName(), after.groupName())
        .of("schema_check", before.schemaCheck().text(), after.schemaCheck().text())
        .of("schemas", tree(before.schemas()), tree(after.schemas()))
        .of("retry", before.retryPolicy(), after.retryPolicy());
  }

  /** Compared as JSON: blanks and the order of keys do not matter. */
  private static @Nullable Object tree(@Nullable String json) {
    return json == null ? null : Json.MAPPER.readTree(json);
  }
}
