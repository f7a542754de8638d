package dev.postrider.api;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.json.Utf8;
import dev.postrider.storage.Keyset;
import dev.postrider.task.Task;
import dev.postrider.task.TaskKind;
import dev.postrider.task.TaskStatus;
import dev.postrider.task.TaskStore;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Background tasks: reading them, and starting those that concern no single endpoint. */
final class TaskCalls {
  private static final List<String> STATUSES =
      Arrays.stream(TaskStatus.values()).map(TaskStatus::text).toList();
  private static final int MAX_APPLICATIONS = 1_000;
  private static final long HOUR_MS = 3_600_000;

  private final ApplicationCalls applications;
  private final MessageSends sends;
  private final Tasks tasks;
  private final TimeSource time;

  TaskCalls(ApplicationCalls applications, MessageSends sends, Tasks tasks, TimeSource time) {
    this.applications = applications;
    this.sends = sends;
    this.tasks = tasks;
    this.time = time;
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
    call.json(200, Pages.page(page, TaskCalls::idText, TaskCalls::write));
  }

  void get(Call call) {
    Id id = Id.parse(IdKind.TASK, call.parameter(0));
    Task task = id == null ? null : tasks.store().find(call.environmentId(), id);
    if (task == null) {
      throw ApiError.notFound("background task");
    }
    call.json(200, out -> out.object(o -> write(o, task)));
  }

  /** Forgets the payloads of all messages that the application has now. */
  void expungeAll(Call call) {
    Application application = applications.inPath(call);
    begin(call, application.id(), TaskKind.EXPUNGE_ALL, Json.MAPPER.createObjectNode());
  }

  /** Counts the attempts of each application, or of those that are named. */
  void usage(Call call) throws IOException {
    Fields fields = call.fields();
    Long since = required(fields, "since");
    Long until = required(fields, "until");
    if (since != null && until != null && until <= since) {
      fields.problem("until", "must be after since");
    }
    List<String> names = fields.texts("appIds", 0, MAX_APPLICATIONS, Limits.UID_RULE);
    fields.check();
    ObjectNode input =
        Json.MAPPER
            .createObjectNode()
            .put("since", since == null ? 0 : since)
            .put("until", until == null ? 0 : until);
    List<String> unresolved = new ArrayList<>();
    if (names != null) {
      ArrayNode ids = input.putArray("appIds");
      for (String name : names) {
        Application application = applications.find(call.environmentId(), name);
        if (application == null) {
          unresolved.add(name);
        } else {
          ids.add(ApplicationCalls.idText(application));
        }
      }
    }
    Task task = tasks.start(call.environmentId(), null, TaskKind.USAGE, input);
    call.json(
        202,
        out ->
            out.object(
                o -> {
                  begun(o, task);
                  o.texts("unresolvedAppIds", unresolved);
                }));
  }

  private static @Nullable Long required(Fields fields, String name) {
    fields.require(name);
    return RecoverCalls.moment(fields, name);
  }

  /** Which event types each application's endpoints name. */
  void aggregateEventTypes(Call call) {
    begin(call, null, TaskKind.AGGREGATE_EVENT_TYPES, Json.MAPPER.createObjectNode());
  }

  /** One message for every application of the environment. */
  void broadcast(Call call) throws IOException {
    MessageBody body = MessageBody.parse(call.body());
    call.ignored(body.unknown());
    Long deliverAt = MessageSends.deliverAt(body, time.nowMs());
    sends.refuseIfForNobody(call, body);
    ObjectNode input = Json.MAPPER.createObjectNode().put("eventType", body.eventType());
    if (Utf8.valid(body.payload())) {
      input.put("payload", new String(body.payload(), StandardCharsets.UTF_8));
    } else {
      input.put("payloadBytes", body.payload());
    }
    if (body.eventId() != null) {
      input.put("eventId", body.eventId());
    }
    if (body.contentType() != null) {
      input.put("contentType", body.contentType());
    }
    if (deliverAt != null) {
      input.put("deliverAt", deliverAt);
    }
    texts(input, "channels", body.channels());
    texts(input, "tags", body.tags());
    Long hours = body.retentionHours();
    if (hours != null) {
      input.put("expiresAt", time.nowMs() + hours * HOUR_MS);
    }
    begin(call, null, TaskKind.BROADCAST, input);
  }

  private static void texts(ObjectNode input, String name, Iterable<String> values) {
    ArrayNode list = input.putArray(name);
    values.forEach(list::add);
  }

  private void begin(Call call, @Nullable Id applicationId, TaskKind kind, ObjectNode input) {
    Task task = tasks.start(call.environmentId(), applicationId, kind, input);
    call.json(202, out -> out.object(o -> begun(o, task)));
  }

  private static String idText(Task task) {
    return task.id().text(IdKind.TASK);
  }

  /** The answer to whoever started the task. */
  static void begun(JsonOut out, Task task) {
    out.text("id", idText(task))
        .text("status", task.status().text())
        .text("task", task.kind().shown())
        .time("updatedAt", task.updatedAtMs());
  }

  private static void write(JsonOut out, Task task) {
    begun(out, task);
    out.raw("data", task.progress().data().toString());
  }
}
