package dev.postrider.api;

import dev.postrider.delivery.Redrive;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.id.Id;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.message.Message;
import dev.postrider.tenant.Application;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Sends an example of an event type to one endpoint. */
final class Examples {
  /** Needs no event type: what Svix's own portal sends to see whether an endpoint answers. */
  private static final String PING = "svix.ping";

  private final Applications applications;
  private final Endpoints endpoints;
  private final EventTypeStore types;
  private final Redrive redrive;

  Examples(Applications applications, Endpoints endpoints, EventTypeStore types, Redrive redrive) {
    this.applications = applications;
    this.endpoints = endpoints;
    this.types = types;
    this.redrive = redrive;
  }

  void send(Call call) throws IOException {
    Application application = applications.inPath(call);
    Endpoint endpoint = endpoints.inPath(call, application);
    Fields fields = call.fields();
    String name = fields.requiredText("eventType", Limits.EVENT_TYPE_RULE);
    fields.check();
    Endpoints.refuseDisabled(endpoint);
    byte[] payload = example(call.environmentId(), name).getBytes(StandardCharsets.UTF_8);
    Id id = redrive.sendExample(application.id(), endpoint.id(), name, payload);
    Message message = new Message(id, name, null, List.of(), List.of(), null, payload);
    call.json(200, out -> out.object(o -> MessageOut.write(o, message, true)));
  }

  private String example(String environmentId, String name) {
    if (name.equals(PING)) {
      return "{\"success\":true}";
    }
    EventType type = types.find(environmentId, name);
    if (type == null) {
      throw ApiError.notFound("event type");
    }
    JsonNode example = type.spec().schemas() == null ? null : newest(type.spec().schemas());
    if (example == null) {
      throw new ApiError(
          400,
          "no_example",
          "the event type's newest schema has no examples: add an object to its \"examples\"");
    }
    return example.toString();
  }

  /** The first example of the schema with the highest version. */
  private static @Nullable JsonNode newest(String schemas) {
    JsonNode newest = null;
    int highest = Integer.MIN_VALUE;
    for (Map.Entry<String, JsonNode> entry : Json.MAPPER.readTree(schemas).properties()) {
      int version = entry.getKey().matches("\\d{1,9}") ? Integer.parseInt(entry.getKey()) : -1;
      if (version >= highest) {
        highest = version;
        newest = entry.getValue();
      }
    }
    if (newest == null) {
      return null;
    }
    JsonNode listed = newest.at("/examples/0");
    JsonNode example = listed.isObject() ? listed : newest.path("example");
    return example.isObject() ? example : null;
  }
}
