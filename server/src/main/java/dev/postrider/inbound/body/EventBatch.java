package dev.postrider.inbound.body;

import dev.postrider.inbound.request.CloudEvents;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.json.Json;
import dev.postrider.json.Utf8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Several CloudEvents in one request: a JSON array, each item of which becomes a message. */
public final class EventBatch {
  static final String MEDIA_TYPE = "application/cloudevents-batch+json";
  static final int MAX_EVENTS = 1_000;

  /** The attributes that every event has. */
  private static final List<String> REQUIRED = List.of("specversion", "id", "source", "type");

  /** Thrown when a request is not a valid batch of CloudEvents. */
  public static final class Bad extends Exception {
    private static final long serialVersionUID = 1;

    Bad(String text) {
      super(text, null, false, false);
    }
  }

  private EventBatch() {}

  public static boolean is(InboundRequest request) {
    return request.mediaType().equals(MEDIA_TYPE);
  }

  /** Each event as if it had been sent alone, with its original bytes. */
  public static List<InboundRequest> split(InboundRequest request) throws Bad {
    byte[] body = BodyForm.unmarked(request.body());
    if (!Utf8.valid(body)) {
      throw new Bad("the body is not valid UTF-8; send JSON as UTF-8");
    }
    List<InboundRequest> events = new ArrayList<>();
    try (JsonParser parser = Json.MAPPER.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw new Bad("the body is not a JSON array of CloudEvents");
      }
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (events.size() == MAX_EVENTS) {
          throw new Bad("the batch has more than " + MAX_EVENTS + " events; send smaller batches");
        }
        events.add(event(request, parser, body, events.size()));
      }
      if (parser.nextToken() != null) {
        throw new Bad("the body has content after the array of events");
      }
    } catch (JacksonException e) {
      throw new Bad("the body is not JSON: " + e.getOriginalMessage());
    }
    return events;
  }

  private static InboundRequest event(
      InboundRequest request, JsonParser parser, byte[] body, int place) throws Bad {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new Bad("item " + place + " of the batch is not a CloudEvent");
    }
    int start = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    int end = (int) parser.currentLocation().getByteOffset();
    byte[] event = Arrays.copyOfRange(body, start, end);
    for (String attribute : REQUIRED) {
      String value = JsonBody.text(event, attribute);
      if (value == null || value.isEmpty()) {
        throw new Bad("item " + place + " of the batch does not have the attribute " + attribute);
      }
    }
    return request.carrying(event, CloudEvents.STRUCTURED);
  }

  /**
   * The part of the deduplication key that distinguishes the events of a batch, where the rule of
   * the source cannot: many rules read the headers of the request, which all events share.
   *
   * @param byRule the key by the rule of the source
   * @param provider whether that rule is the default of the provider, which may not support batches
   */
  public static @Nullable String key(
      @Nullable String byRule, InboundRequest event, boolean provider) {
    String identity = CloudEvents.identity().extract(event);
    if (byRule == null) {
      return provider ? identity : null;
    }
    return identity == null || byRule.equals(identity) ? byRule : byRule + " " + identity;
  }
}
