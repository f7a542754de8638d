package dev.postrider.task;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task over all applications of an environment: each step processes one page and stores a result
 * for each application. A step may run again after a crash.
 */
final class ApplicationPages implements TaskWork {
  static final int PAGE = 50;

  /** Processes a page of applications and returns a result for each; null results are left out. */
  @FunctionalInterface
  interface Each {
    List<@Nullable ObjectNode> of(Task task, List<Application> applications);
  }

  private final ApplicationStore applications;
  private final String results;
  private final Each each;

  /**
   * @param results the field of the task's data that holds the results
   */
  ApplicationPages(ApplicationStore applications, String results, Each each) {
    this.applications = applications;
    this.results = results;
    this.each = each;
  }

  static Each one(Function<Application, @Nullable ObjectNode> function) {
    return (_, page) -> page.stream().map(function).toList();
  }

  @Override
  public Step next(Task task) {
    String cursor = task.progress().cursor();
    Id after = cursor == null ? null : Id.parse(IdKind.APPLICATION, cursor);
    Keyset.Page<Application> page =
        applications.list(task.environmentId(), new Keyset<>(PAGE, after, false, true));
    ObjectNode data = task.progress().data().deepCopy();
    ArrayNode list = data.get(results) instanceof ArrayNode known ? known : data.putArray(results);
    each.of(task, page.items()).stream().filter(Objects::nonNull).forEach(list::add);
    String reached = page.items().isEmpty() ? cursor : page.items().getLast().id().text();
    return _ -> new Task.Progress(reached, data, page.done());
  }
}
