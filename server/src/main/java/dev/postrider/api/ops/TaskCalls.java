package dev.postrider.api.ops;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.RequestForms;
import dev.postrider.api.form.TaskOut;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.TaskId;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.storage.Keyset;
import dev.postrider.task.Task;
import dev.postrider.task.TaskKind;
import dev.postrider.task.TaskStatus;
import dev.postrider.task.TaskStore;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.Application;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API calls that list and read background tasks, and start those for usage and for subscribed
 * event types.
 */
final class TaskCalls {
  private static final List<String> STATUSES =
      Arrays.stream(TaskStatus.values()).map(TaskStatus::text).toList();
  private static final int MAX_APPLICATIONS = 1_000;

  private final ApplicationLookup applications;
  private final Tasks tasks;

  TaskCalls(ApplicationLookup applications, Tasks tasks) {
    this.applications = applications;
    this.tasks = tasks;
  }

  void list(Call call) {
    Query query = call.query();
    Keyset<Id> keyset = query.page(text -> Id.parse(IdKind.TASK, text));
    String status = query.oneOfTexts("status", STATUSES);
    TaskStore.Filter filter =
        new TaskStore.Filter(
            Arrays.stream(TaskStatus.values())
                .filter(candidate -> candidate.text().equals(status))
                .findFirst()
                .orElse(null),
            query.oneOfTexts("task", Tasks.shownKinds()));
    Keyset.Page<Task> page = tasks.store().list(call.environmentId(), filter, keyset);
    call.json(200, Pages.page(page, TaskOut::idText, TaskCalls::write));
  }

  void get(Call call) {
    Id id = Id.parse(IdKind.TASK, call.path("task"));
    Task task = id == null ? null : tasks.store().find(call.environmentId(), new TaskId(id));
    if (task == null) {
      throw ApiError.notFound("background task");
    }
    call.json(200, out -> out.object(o -> write(o, task)));
  }

  /** Counts the attempts of each application, or of the given ones. */
  void usage(Call call) throws IOException {
    Fields fields = call.fields();
    Instant since = required(fields, "since");
    Instant until = required(fields, "until");
    if (since != null && until != null && !until.isAfter(since)) {
      fields.problem("until", "must be after since");
    }
    List<String> names = fields.texts("appIds", 0, MAX_APPLICATIONS, Limits.UID_RULE);
    fields.check();
    ObjectNode input =
        Json.MAPPER
            .createObjectNode()
            .put("since", since == null ? 0 : since.toEpochMilli())
            .put("until", until == null ? 0 : until.toEpochMilli());
    List<String> unresolved = new ArrayList<>();
    if (names != null) {
      ArrayNode ids = input.putArray("appIds");
      for (String name : names) {
        Application application = applications.find(call.environmentId(), name);
        if (application == null) {
          unresolved.add(name);
        } else {
          ids.add(ApplicationLookup.idText(application));
        }
      }
    }
    Task task = tasks.start(call.environmentId(), null, TaskKind.USAGE, input);
    call.json(
        202,
        out ->
            out.object(
                o -> {
                  TaskOut.started(o, task);
                  o.texts("unresolvedAppIds", unresolved);
                }));
  }

  private static @Nullable Instant required(Fields fields, String name) {
    fields.require(name);
    return RequestForms.time(fields, name);
  }

  /** The event types that the endpoints of each application subscribe to. */
  void aggregateEventTypes(Call call) {
    Task task =
        tasks.start(
            call.environmentId(),
            null,
            TaskKind.AGGREGATE_EVENT_TYPES,
            Json.MAPPER.createObjectNode());
    call.json(202, out -> out.object(o -> TaskOut.started(o, task)));
  }

  private static void write(JsonOut out, Task task) {
    TaskOut.started(out, task);
    out.raw("data", task.progress().data().toString());
  }
}
