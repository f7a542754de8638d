package dev.postrider.file;

import dev.postrider.id.Id;
import dev.postrider.json.InvalidFields;
import dev.postrider.tenant.LimitReached;
import dev.postrider.tenant.UidTaken;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A plan in the making: each change with the work that makes it. */
final class Draft {
  private record Step(Change change, Document.@Nullable Entry entry, Runnable work) {}

  private final OwnedStore owned;
  private final boolean adopt;
  private final Problems problems = new Problems();
  private final List<Step> steps = new ArrayList<>();

  Draft(OwnedStore owned, boolean adopt) {
    this.owned = owned;
    this.adopt = adopt;
  }

  Map<String, Id> owned(Kind kind) {
    return owned.all(kind);
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

  /**
   * Something that is there.
   *
   * @param mine whether it came from the file; if not, it is taken over only when that is asked for
   */
  void update(
      Document.Entry entry,
      Kind kind,
      String name,
      Id id,
      boolean mine,
      Difference difference,
      Runnable work) {
    if (mine) {
      if (!difference.isEmpty()) {
        add(new Change(Change.Action.UPDATE, kind, name, difference.fields()), entry, work);
      }
      return;
    }
    if (!adopt) {
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
    add(Change.whole(Change.Action.RELEASE, kind, name), null, () -> owned.remove(kind, name));
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
    for (Step step : steps) {
      try {
        step.work().run();
      } catch (LimitReached | UidTaken | InvalidFields e) {
        Document.Entry entry = step.entry();
        throw new BadFile(
            new Problem(
                entry == null ? Place.NONE : entry.place(),
                entry == null ? step.change().name() : entry.key(),
                String.valueOf(e.getMessage())));
      }
    }
  }
}
