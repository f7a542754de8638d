package dev.postrider.inbound.body;

import dev.postrider.inbound.InboundRequest;
import dev.postrider.json.Json;
import dev.postrider.json.Utf8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Several CloudEvents in one request: a JSON list, of which each becomes a message of its own. */
public final class EventBatch {
  static final String MEDIA_TYPE = "application/cloudevents-batch+json";
  static final int MAX_EVENTS = 1_000;

  /** What every event has. */
  private static final List<String> REQUIRED = List.of("specversion", "id", "source", "type");

  /** What is wrong with it. */
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

  /** Each event as if it had come alone, its bytes as they were written. */
  public static List<InboundRequest> split(InboundRequest request) throws Bad {
    byte[] body = BodyForm.unmarked(request.body());
    if (!Utf8.valid(body)) {
      throw new Bad("the body is not valid UTF-8; send JSON as UTF-8");
    }
    List<InboundRequest> events = new ArrayList<>();
    try (JsonParser parser = Json.MAPPER.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw new Bad("the body is no JSON list of CloudEvents");
      }
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (events.size() == MAX_EVENTS) {
          throw new Bad("the batch has more than " + MAX_EVENTS + " events; send smaller ones");
        }
        events.add(event(request, parser, body, events.size()));
      }
      if (parser.nextToken() != null) {
        throw new Bad("the body has something after its list of events");
      }
    } catch (JacksonException e) {
      throw new Bad("the body is not JSON: " + e.getOriginalMessage());
    }
    return events;
  }

  private static InboundRequest event(
      InboundRequest request, JsonParser parser, byte[] body, int place) throws Bad {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new Bad("item " + place + " of the batch is no event");
    }
    int start = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    int end = (int) parser.currentLocation().getByteOffset();
    byte[] event = Arrays.copyOfRange(body, start, end);
    for (String attribute : REQUIRED) {
      String value = BodyField.text(event, attribute);
      if (value == null || value.isEmpty()) {
        throw new Bad("item " + place + " of the batch has no " + attribute);
      }
    }
    return request.carrying(event, CloudEvents.STRUCTURED);
  }

  /**
   * What tells an event from the others of its batch, where the source's rule cannot: many a rule
   * looks at the request's headers, which all of them share.
   *
   * @param byRule what the source's rule says
   * @param provider whether that rule is the provider's, which may not know of batches
   */
  static @Nullable public String key(
      @Nullable String byRule, InboundRequest event, boolean provider) {
    String identity = CloudEvents.identity().extract(event);
    if (byRule == null) {
      return provider ? identity : null;
    }
    return identity == null || byRule.equals(identity) ? byRule : byRule + " " + identity;
  }
}
