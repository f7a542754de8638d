package dev.postrider.configfile.plan;

import dev.postrider.configfile.Document;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.store.SourceStore;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Plans the changes of sources. A source that is removed from the file is deleted; its application
 * and messages stay.
 */
record SourceReconciler(String environmentId, SourceStore store, List<Document.NamedSource> entries)
    implements Reconciler {

  @Override
  public void planDeletes(PlanBuilder plan) {
    Set<String> named =
        entries.stream().map(Document.NamedSource::name).collect(Collectors.toSet());
    plan.owned(Kind.SOURCE)
        .forEach(
            (name, id) -> {
              if (named.contains(name)) {
                return;
              }
              Source found = store.find(environmentId, name);
              if (found == null || !found.id().equals(id)) {
                plan.release(Kind.SOURCE, name);
              } else {
                plan.delete(Kind.SOURCE, name, () -> store.delete(environmentId, name));
              }
            });
  }

  @Override
  public void planUpserts(PlanBuilder plan) {
    for (Document.NamedSource entry : entries) {
      Source found = store.find(environmentId, entry.name());
      if (found == null) {
        plan.create(
            entry,
            Kind.SOURCE,
            entry.name(),
            () -> store.create(environmentId, entry.form(), entry.secrets()).id());
        continue;
      }
      SecretChange secrets = entry.secrets();
      Difference difference =
          new Difference()
              .of(SourceFields.ALL, found.form().values(), onto(found.form(), entry).values())
              .secret(SourceFields.SECRETS, !store.hasSecrets(found, secrets));
      plan.update(
          entry,
          Kind.SOURCE,
          entry.name(),
          found.id(),
          difference,
          () ->
              Objects.requireNonNull(
                  store.update(
                      environmentId, entry.name(), before -> onto(before, entry), secrets)));
    }
  }

  private static SourceForm onto(SourceForm before, Document.NamedSource entry) {
    return new SourceForm(entry.values().onto(SourceFields.ALL, before.values()));
  }
}
