package dev.postrider.api.catalog;

import dev.postrider.api.form.TaskOut;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventType.Owner;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.eventtype.OpenApiExport;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.TaskId;
import dev.postrider.json.Json;
import dev.postrider.storage.Keyset;
import dev.postrider.task.Task;
import dev.postrider.task.TaskKind;
import dev.postrider.task.Tasks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API calls that export the event types of an environment as an OpenAPI document. The document
 * is created at once and stored with the task, so that every later download is the same.
 */
final class EventTypeExportCalls {
  private static final String FILE = "openapi.json";

  private final EventTypeStore store;
  private final Tasks tasks;
  private final Supplier<String> serverUrl;

  EventTypeExportCalls(EventTypeStore store, Tasks tasks, Supplier<String> serverUrl) {
    this.store = store;
    this.tasks = tasks;
    this.serverUrl = serverUrl;
  }

  void openApi(Call call) {
    ObjectNode input = Json.MAPPER.createObjectNode();
    input.set("document", OpenApiExport.of(all(call.environmentId())));
    Task task =
        tasks.done(
            call.environmentId(),
            TaskKind.EXPORT_EVENT_TYPES,
            input,
            id -> Json.MAPPER.createObjectNode().put("schemaZip", address(id.value())));
    call.json(202, out -> out.object(o -> TaskOut.started(o, task)));
  }

  private String address(Id task) {
    return serverUrl.get()
        + "/api/v1/event-type/export/openapi/"
        + task.text(IdKind.TASK)
        + "/schema.zip";
  }

  private List<EventType> all(String environmentId) {
    List<EventType> all = new ArrayList<>();
    String from = null;
    Keyset.Page<EventType> page;
    do {
      page =
          store.list(
              Owner.environment(environmentId),
              false,
              new Keyset<>(Keyset.MAX_LIMIT, from, false, true));
      all.addAll(page.items());
      from = page.items().isEmpty() ? from : page.items().getLast().name();
    } while (!page.done());
    return all;
  }

  /** The export of a task, as the archive that clients expect. */
  void download(Call call) throws IOException {
    Id id = Id.parse(IdKind.TASK, call.path("task"));
    Task task = id == null ? null : tasks.store().find(call.environmentId(), new TaskId(id));
    if (task == null || task.kind() != TaskKind.EXPORT_EVENT_TYPES) {
      throw ApiError.notFound("export");
    }
    JsonNode document = task.input().path("document");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes, StandardCharsets.UTF_8)) {
      zip.putNextEntry(new ZipEntry(FILE));
      zip.write(document.toPrettyString().getBytes(StandardCharsets.UTF_8));
      zip.closeEntry();
    }
    call.file("application/zip", bytes.toByteArray());
  }
}
