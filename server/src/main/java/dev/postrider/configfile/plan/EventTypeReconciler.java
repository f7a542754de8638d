package dev.postrider.configfile.plan;

import dev.postrider.configfile.Document;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.eventtype.EventTypeStore;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Plans the changes of event types of the environment. An event type that is removed from the file
 * is archived, because stored messages refer to it.
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
              if (found == null
                  || !found.id().equals(id)
                  || found.spec().get(EventTypeFields.ARCHIVED)) {
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
      if (found == null
          || (found.spec().get(EventTypeFields.ARCHIVED)
              && !entry.spec().get(EventTypeFields.ARCHIVED))) {
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
          new Difference().of(EventTypeFields.ALL, found.spec().values(), entry.spec().values()),
          () -> store.update(owner, name, _ -> entry.spec()));
    }
  }
}
