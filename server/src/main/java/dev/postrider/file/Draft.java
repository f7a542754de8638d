package dev.postrider.file;

import dev.postrider.id.Id;
import dev.postrider.json.InvalidFields;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.tenant.LimitReached;
import dev.postrider.tenant.UidTaken;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** A plan in the making: each change with the work that makes it. */
final class Draft {
  private record Step(Change change, Document.@Nullable Entry entry, Runnable work) {
    Problem problem(String field, String text) {
      return entry == null
          ? new Problem(Place.NONE, change.name(), text)
          : new Problem(entry.place(), entry.key() + field, text);
    }
  }

  private final OwnedStore owned;
  private final boolean adopt;
  private final Problems problems = new Problems();
  private final List<Step> steps = new ArrayList<>();
  private final List<Runnable> preparations = new ArrayList<>();
  private final Map<Kind, Map<String, OwnedStore.Item>> items = new EnumMap<>(Kind.class);

  Draft(OwnedStore owned, boolean adopt) {
    this.owned = owned;
    this.adopt = adopt;
  }

  /** The ids of what belongs to the file, by name. */
  Map<String, Id> owned(Kind kind) {
    Map<String, Id> ids = new TreeMap<>();
    items(kind)
        .forEach(
            (name, item) -> {
              if (item.isOwned()) {
                ids.put(name, item.id());
              }
            });
    return ids;
  }

  private Map<String, OwnedStore.Item> items(Kind kind) {
    return items.computeIfAbsent(kind, owned::all);
  }

  void problem(Document.Entry entry, String text) {
    problems.add(entry.place(), entry.key(), text);
  }

  /** Something new, which the file owns from then on. */
  void create(Document.Entry entry, Kind kind, String name, Supplier<Id> work) {
    add(
        Change.whole(Change.Action.CREATE, kind, name),
        entry,
        () -> owned.add(kind, name, work.get()));
  }

  /** Done before all changes, and shown as none. */
  void prepare(Runnable work) {
    preparations.add(work);
  }

  /**
   * Something that is there. If it did not come from a file, it is taken over only when that is
   * asked for; what the file had once and let go, it gets back.
   */
  void update(
      Document.Entry entry, Kind kind, String name, Id id, Difference difference, Runnable work) {
    OwnedStore.Item item = items(kind).get(name);
    boolean known = item != null && item.id().equals(id);
    if (item != null && known && item.isOwned()) {
      if (!difference.isEmpty()) {
        add(new Change(Change.Action.UPDATE, kind, name, difference.fields()), entry, work);
      }
      return;
    }
    if (!known && !adopt) {
      problem(
          entry,
          "the server has the %s %s already, and it did not come from this file; rename or delete one of the two, or take it over with postrider apply --adopt"
              .formatted(kind.text(), name));
      return;
    }
    add(
        new Change(Change.Action.ADOPT, kind, name, difference.fields()),
        entry,
        () -> {
          if (!difference.isEmpty()) {
            work.run();
          }
          owned.add(kind, name, id);
        });
  }

  /** Something of the file's that the file no longer has. */
  void delete(Kind kind, String name, Runnable work) {
    add(
        Change.whole(Change.Action.DELETE, kind, name),
        null,
        () -> {
          work.run();
          owned.remove(kind, name);
        });
  }

  /** Something of the file's that the file no longer has, and that others still need. */
  void release(Kind kind, String name) {
    add(Change.whole(Change.Action.RELEASE, kind, name), null, () -> owned.release(kind, name));
  }

  private void add(Change change, Document.@Nullable Entry entry, Runnable work) {
    steps.add(new Step(change, entry, work));
  }

  void throwIfRefused() {
    problems.throwIfAny();
  }

  Plan plan() {
    return new Plan(steps.stream().map(Step::change).toList());
  }

  /** Makes all changes; what the server refuses is told with its place. */
  void run() {
    preparations.forEach(Runnable::run);
    for (Step step : steps) {
      try {
        step.work().run();
      } catch (InvalidFields e) {
        throw new BadFile(
            e.problems().stream()
                .map(one -> step.problem("." + one.loc().getLast(), one.msg()))
                .toList());
      } catch (LimitReached | UidTaken e) {
        throw new BadFile(step.problem("", String.valueOf(e.getMessage())));
      } catch (StorageException | JdbiException e) {
        if (SqlFaults.of(e) != SqlFaults.BAD_DATA) {
          throw e;
        }
        throw new BadFile(
            step.problem(
                "",
                "the database refuses to %s it; the server may have another one with the same name or key"
                    .formatted(step.change().action().text())));
      }
    }
  }
}
