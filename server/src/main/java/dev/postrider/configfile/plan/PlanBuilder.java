package dev.postrider.configfile.plan;

import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.Document;
import dev.postrider.configfile.FilePosition;
import dev.postrider.configfile.FileProblem;
import dev.postrider.configfile.FileProblems;
import dev.postrider.endpoint.AgentRouteStore;
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
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Builds a plan: each change with the work that applies it. */
final class PlanBuilder {
  private record Step(Change change, Document.@Nullable Entry entry, Runnable work) {
    FileProblem problem(String field, String text) {
      return entry == null
          ? new FileProblem(FilePosition.NONE, change.name(), text)
          : new FileProblem(entry.place(), entry.key() + field, text);
    }
  }

  private final FileOwnershipStore owned;
  private final Terms terms;
  private final FileProblems problems = new FileProblems();
  private final List<Step> steps = new ArrayList<>();
  private final List<Runnable> preparations = new ArrayList<>();
  private final Map<Kind, Map<String, FileOwnershipStore.Item>> items = new EnumMap<>(Kind.class);

  PlanBuilder(FileOwnershipStore owned, Terms terms) {
    this.owned = owned;
    this.terms = terms;
  }

  /** The ids of what belongs to this file, by name. */
  Map<String, Id> owned(Kind kind) {
    Map<String, Id> ids = new TreeMap<>();
    items(kind)
        .forEach(
            (name, item) -> {
              if (item.owner() != null && !isAnother(item.owner())) {
                ids.put(name, item.id());
              }
            });
    return ids;
  }

  private Map<String, FileOwnershipStore.Item> items(Kind kind) {
    return items.computeIfAbsent(kind, owned::all);
  }

  /** What had that name when a file was applied last, of any owner; null if nothing had. */
  @Nullable Id known(Kind kind, String name) {
    FileOwnershipStore.Item item = items(kind).get(name);
    return item == null ? null : item.id();
  }

  void problem(Document.Entry entry, String text) {
    problems.add(entry.place(), entry.key(), text);
  }

  /** Something new, which the file owns from then on. */
  void create(Document.Entry entry, Kind kind, String name, Supplier<Id> work) {
    add(
        Change.whole(Change.Action.CREATE, kind, name),
        entry,
        () -> owned.add(kind, name, work.get(), terms.owner()));
  }

  /** Done before all changes, and shown as none. */
  void prepare(Runnable work) {
    preparations.add(work);
  }

  /**
   * Something that is there. What did not come from this file is taken over only if the terms say
   * so; what the file had once and let go, it gets back.
   */
  void update(
      Document.Entry entry, Kind kind, String name, Id id, Difference difference, Runnable work) {
    FileOwnershipStore.Item item = items(kind).get(name);
    // One of the same name that was created later is another.
    boolean foreign = item == null || !item.id().equals(id);
    String owner = item == null || foreign ? null : item.owner();
    if (terms.owner().equals(owner)) {
      if (!difference.isEmpty()) {
        add(new Change(Change.Action.UPDATE, kind, name, difference.fields()), entry, work);
      }
      return;
    }
    if (foreign && terms.takeover() != Terms.Takeover.EVERYTHING) {
      problem(
          entry,
          "the %s %s already exists on the server and was not created from this file; rename or delete one of the two, or take it over with postrider apply --adopt"
              .formatted(kind.text(), name));
      return;
    }
    if (isAnother(owner) && terms.takeover() == Terms.Takeover.NOTHING) {
      problem(
          entry,
          "the %s %s is owned by %s, and this file is applied as %s; remove it from one of the two files, take it over with --adopt, or replace that file with --owner %3$s"
              .formatted(kind.text(), name, owner, terms.owner()));
      return;
    }
    add(
        new Change(Change.Action.ADOPT, kind, name, difference.fields()),
        entry,
        () -> {
          if (!difference.isEmpty()) {
            work.run();
          }
          owned.add(kind, name, id, terms.owner());
        });
  }

  /** A file with a name of its own: what is older than the names belongs to any file. */
  private boolean isAnother(@Nullable String owner) {
    return owner != null && !owner.isEmpty() && !owner.equals(terms.owner());
  }

  /**
   * Refuses a file that is new here, whose owner nobody chose, while other files own something: it
   * may be meant to replace one of them, or to stand next to it.
   */
  void refuseUnknownOwner() {
    if (terms.chosen()) {
      return;
    }
    Set<String> owners = new TreeSet<>();
    for (Kind kind : Kind.values()) {
      items(kind)
          .values()
          .forEach(item -> owners.add(Objects.requireNonNullElse(item.owner(), "")));
    }
    owners.remove("");
    if (!owners.isEmpty() && !owners.contains(terms.owner())) {
      problems.add(
          FilePosition.NONE,
          "",
          "%1$s was never applied to this server, which has objects owned by %2$s; to replace that file, add --owner %2$s; to keep both, add --owner %1$s"
              .formatted(terms.owner(), String.join(" or ", owners)));
    }
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

  /** Applies all changes; an error of the server is reported with its position in the file. */
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
      } catch (LimitReached | UidTaken | AgentRouteStore.RouteTaken e) {
        throw new BadFile(step.problem("", String.valueOf(e.getMessage())));
      } catch (StorageException | JdbiException e) {
        if (SqlFaults.of(e) != SqlFaults.BAD_DATA) {
          throw e;
        }
        throw new BadFile(
            step.problem(
                "",
                "the database rejected the %s; another object may have the same name or key"
                    .formatted(step.change().action().text())));
      }
    }
  }
}
