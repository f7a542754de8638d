package dev.postrider.api.message;

import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.form.Limits;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventType.Owner;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.eventtype.SchemaVersions;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.json.Fields;
import dev.postrider.message.Message;
import dev.postrider.tenant.Application;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Sends an example of an event type to one endpoint. */
final class ExampleCalls {
  /** Needs no event type: what Svix's own portal sends to see whether an endpoint answers. */
  private static final String PING = "svix.ping";

  private final ApplicationLookup applications;
  private final EndpointLookup endpoints;
  private final EventTypeStore types;
  private final Redrive redrive;

  ExampleCalls(
      ApplicationLookup applications,
      EndpointLookup endpoints,
      EventTypeStore types,
      Redrive redrive) {
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
    Integer index = fields.integer("exampleIndex", 0, Limits.EXAMPLE_INDEX);
    fields.check();
    EndpointLookup.refuseDisabled(endpoint);
    Owner owner = new Owner(call.environmentId(), application.id());
    byte[] payload =
        example(owner, name, index == null ? 0 : index).getBytes(StandardCharsets.UTF_8);
    Id id = redrive.sendExample(application.id(), endpoint.id(), name, payload).value();
    Message message =
        new Message(
            new MessageId(id), name, null, List.of(), List.of(), null, payload, null, null, null);
    call.json(200, out -> out.object(o -> MessageOut.write(o, message, true)));
  }

  private String example(Owner owner, String name, int index) {
    if (name.equals(PING)) {
      return "{\"success\":true}";
    }
    EventType type = types.findInEffect(owner, name);
    if (type == null) {
      throw ApiError.notFound("event type");
    }
    JsonNode newest = SchemaVersions.newest(type.spec().get(EventTypeFields.SCHEMAS));
    JsonNode example = newest == null ? null : example(newest, index);
    if (example == null) {
      throw new ApiError(
          400,
          "no_example",
          "the newest schema of the event type does not have this example: add an object to its"
              + " \"examples\"");
    }
    return example.toString();
  }

  private static @Nullable JsonNode example(JsonNode schema, int index) {
    JsonNode listed = schema.path("examples").path(index);
    JsonNode example = listed.isObject() || index > 0 ? listed : schema.path("example");
    return example.isObject() ? example : null;
  }
}
