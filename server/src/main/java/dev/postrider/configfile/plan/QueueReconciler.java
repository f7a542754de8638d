package dev.postrider.configfile.plan;

import dev.postrider.configfile.Document;
import dev.postrider.id.Id;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueFields;
import dev.postrider.queue.QueueKeys;
import dev.postrider.queue.QueueStore;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Plans the changes of pull queues of source applications. A changed queue keeps its messages. */
record QueueReconciler(
    String environmentId,
    ApplicationStore applications,
    QueueStore store,
    SecureRandom random,
    List<Document.NamedQueue> entries)
    implements Reconciler {

  private static String name(Document.NamedQueue entry) {
    return entry.source() + "/" + entry.spec().name();
  }

  @Override
  public void planDeletes(PlanBuilder plan) {
    Set<String> named = entries.stream().map(QueueReconciler::name).collect(Collectors.toSet());
    plan.owned(Kind.QUEUE)
        .forEach(
            (name, id) -> {
              if (named.contains(name)) {
                return;
              }
              int slash = name.indexOf('/');
              Application application = applications.find(environmentId, name.substring(0, slash));
              String own = name.substring(slash + 1);
              Queue found = application == null ? null : store.find(application.id(), own);
              if (found == null || !found.id().value().equals(id)) {
                plan.release(Kind.QUEUE, name);
              } else {
                plan.delete(Kind.QUEUE, name, () -> store.delete(found.applicationId(), own));
              }
            });
  }

  @Override
  public void planUpserts(PlanBuilder plan) {
    for (Document.NamedQueue entry : entries) {
      Application application = applications.find(environmentId, entry.source());
      Queue found = application == null ? null : store.find(application.id(), entry.spec().name());
      if (found == null) {
        plan.create(entry, Kind.QUEUE, name(entry), () -> create(entry));
        continue;
      }
      Difference difference =
          new Difference().of(QueueFields.ALL, found.spec().values(), entry.spec().values());
      boolean otherSpec = !difference.isEmpty();
      boolean otherKey = otherKey(found, entry);
      if (otherKey) {
        // Two queues may swap their keys.
        plan.prepare(() -> store.dropKey(found));
      }
      plan.update(
          entry,
          Kind.QUEUE,
          name(entry),
          found.id().value(),
          difference.secret(QueueFields.KEY, otherKey),
          () -> {
            if (otherSpec) {
              store.update(found.applicationId(), entry.spec().name(), _ -> entry.spec());
            }
            if (otherKey && entry.consumerKey() != null) {
              store.rotateKey(found, entry.consumerKey());
            }
          });
    }
  }

  private boolean otherKey(Queue found, Document.NamedQueue entry) {
    String key = entry.consumerKey();
    if (key == null) {
      return false;
    }
    Queue opened = store.byKey(key);
    return opened == null || !opened.id().equals(found.id());
  }

  private Id create(Document.NamedQueue entry) {
    Application application =
        Objects.requireNonNull(applications.find(environmentId, entry.source()));
    String given = entry.consumerKey();
    String key = given == null ? QueueKeys.generate(random) : given;
    return Objects.requireNonNull(store.create(application, entry.spec(), key)).id().value();
  }
}
