package dev.postrider.api.message;

import dev.postrider.api.form.TaskOut;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.id.ApplicationId;
import dev.postrider.json.Json;
import dev.postrider.json.Utf8;
import dev.postrider.task.Task;
import dev.postrider.task.TaskKind;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The API calls that start background tasks which send or expunge many messages. */
final class BulkMessageCalls {
  private static final long HOUR_MS = 3_600_000;

  private final ApplicationLookup applications;
  private final MessageSends sends;
  private final Tasks tasks;
  private final TimeSource time;

  BulkMessageCalls(
      ApplicationLookup applications, MessageSends sends, Tasks tasks, TimeSource time) {
    this.applications = applications;
    this.sends = sends;
    this.tasks = tasks;
    this.time = time;
  }

  /** Deletes the payloads of all messages that the application has now. */
  void expungeAll(Call call) {
    Application application = applications.inPath(call);
    begin(call, application.id(), TaskKind.EXPUNGE_ALL, Json.MAPPER.createObjectNode());
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
    if (body.maxRetries() != null) {
      input.put("maxRetries", body.maxRetries());
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

  private void begin(
      Call call, @Nullable ApplicationId applicationId, TaskKind kind, ObjectNode input) {
    Task task = tasks.start(call.environmentId(), applicationId, kind, input);
    call.json(202, out -> out.object(o -> TaskOut.started(o, task)));
  }
}
