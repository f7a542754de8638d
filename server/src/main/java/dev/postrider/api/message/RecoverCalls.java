package dev.postrider.api.message;

import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.RequestForms;
import dev.postrider.api.form.Statuses;
import dev.postrider.api.form.TaskOut;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.id.EndpointId;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.task.Task;
import dev.postrider.task.TaskKind;
import dev.postrider.task.TaskWorks;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The API calls that send messages of a time range again, in the background. */
final class RecoverCalls {
  private final ApplicationLookup applications;
  private final EndpointLookup endpoints;
  private final Tasks tasks;
  private final TimeSource time;

  RecoverCalls(
      ApplicationLookup applications, EndpointLookup endpoints, Tasks tasks, TimeSource time) {
    this.applications = applications;
    this.endpoints = endpoints;
    this.tasks = tasks;
    this.time = time;
  }

  /** Failed messages: one attempt each, as in Svix, or a fresh schedule. */
  void recover(Call call) throws IOException {
    start(call, TaskKind.RECOVER);
  }

  /** Dead letters only. */
  void redrive(Call call) throws IOException {
    start(call, TaskKind.REDRIVE);
  }

  /** All dead letters of an application, of endpoints and queues. */
  void redriveApplication(Call call) throws IOException {
    Application application = applications.inPath(call);
    Fields fields = call.fields();
    Instant since = RequestForms.time(fields, "since");
    Instant until = RequestForms.time(fields, "until");
    checkOrder(fields, since, until);
    List<String> types = eventTypes(fields);
    fields.check();
    Task task =
        tasks.start(
            call.environmentId(),
            application.id(),
            TaskKind.APPLICATION_REDRIVE,
            TaskWorks.deadLetters(since, until, types));
    call.json(202, out -> out.object(o -> TaskOut.started(o, task)));
  }

  /** Messages of an application, to all its endpoints or to some of them. */
  void replayApplication(Call call) throws IOException {
    Application application = applications.inPath(call);
    Fields fields = call.fields();
    Window window = window(fields);
    List<String> types = eventTypes(fields);
    List<String> names =
        fields.texts("endpoints", 1, Limits.REPLAYED_ENDPOINTS, TextRule.of(1, Limits.UID));
    Integer max = fields.integer("max", 1, Limits.REPLAYED);
    fields.check();
    List<Endpoint> chosen =
        names == null
            ? List.of()
            : names.stream().map(name -> endpoints.named(application, name)).toList();
    chosen.forEach(EndpointLookup::refuseDisabled);
    Task task =
        tasks.start(
            call.environmentId(),
            application.id(),
            TaskKind.APPLICATION_REPLAY,
            TaskWorks.replay(
                window.since(),
                window.until(),
                types,
                chosen.stream().map(Endpoint::id).toList(),
                max == null ? Limits.REPLAYED_BY_DEFAULT : max));
    call.json(202, out -> out.object(o -> TaskOut.started(o, task)));
  }

  private record Window(Instant since, Instant until) {}

  /** Its start is required and may not be too long ago; it ends now unless the caller says else. */
  private Window window(Fields fields) {
    Instant now = Instant.ofEpochMilli(time.nowMs());
    Instant since = RequestForms.time(fields, "since");
    Instant until = RequestForms.time(fields, "until");
    fields.require("since");
    if (since != null && since.isBefore(now.minus(Limits.RECOVER_BACK))) {
      fields.problem("since", "may be at most " + Limits.RECOVER_BACK.toDays() + " days ago");
    }
    checkOrder(fields, since, until);
    return new Window(since == null ? now : since, until == null ? now : until);
  }

  private static void checkOrder(Fields fields, @Nullable Instant since, @Nullable Instant until) {
    if (since != null && until != null && !until.isAfter(since)) {
      fields.problem("until", "must be after since");
    }
  }

  private static List<String> eventTypes(Fields fields) {
    List<String> types =
        fields.texts("eventTypes", 0, Limits.EVENT_TYPES_IN_QUERY, Limits.EVENT_TYPE_RULE);
    return types == null ? List.of() : types;
  }

  /** Messages that were never sent to the endpoint although it is subscribed. */
  void replayMissing(Call call) throws IOException {
    start(call, TaskKind.REPLAY_MISSING);
  }

  /** Messages that were sent to the endpoint, with any result. */
  void bulkReplay(Call call) throws IOException {
    start(call, TaskKind.BULK_REPLAY);
  }

  private void start(Call call, TaskKind kind) throws IOException {
    Application application = applications.inPath(call);
    Endpoint endpoint = endpoints.inPath(call, application);
    Fields fields = call.fields();
    Window window = window(fields);
    ObjectNode input =
        TaskWorks.window(new EndpointId(endpoint.id().value()), window.since(), window.until());
    if (kind == TaskKind.BULK_REPLAY) {
      filters(fields, input);
    }
    if (kind == TaskKind.RECOVER) {
      input.put(TaskWorks.FRESH_SCHEDULE, fields.flag(TaskWorks.FRESH_SCHEDULE, false));
    }
    fields.check();
    EndpointLookup.refuseDisabled(endpoint);
    Task task = tasks.start(call.environmentId(), application.id(), kind, input);
    call.json(202, out -> out.object(o -> TaskOut.started(o, task)));
  }

  private static void filters(Fields fields, ObjectNode input) {
    ArrayNode list = input.putArray("eventTypes");
    eventTypes(fields).forEach(list::add);
    put(input, "channel", fields.text("channel", Limits.CHANNEL_RULE));
    put(input, "tag", fields.text("tag", Limits.TAG_RULE));
    Integer status = fields.integer("status", Statuses.SUCCESS, Statuses.CANCELED);
    if (status != null) {
      ArrayNode statuses = input.putArray("status");
      Arrays.stream(DeliveryStatus.values())
          .filter(candidate -> Statuses.code(candidate) == status)
          .forEach(candidate -> statuses.add(candidate.code()));
    }
    Integer code = fields.integer("statusCodeClass", 0, 500);
    if (code != null && code % 100 != 0) {
      fields.problem("statusCodeClass", "must be one of 0, 100, 200, 300, 400, 500");
    }
    if (code != null) {
      input.put("statusCodeClass", code);
    }
  }

  private static void put(ObjectNode input, String name, @Nullable String value) {
    if (value != null) {
      input.put(name, value);
    }
  }
}
