package dev.postrider.api.message;

import dev.postrider.json.BadJson;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Json;
import dev.postrider.json.Problem;
import dev.postrider.json.Utf8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** The body of a batch, split into the bytes of its messages. */
final class BatchBody {
  static final int MAX_MESSAGES = 100;

  private static final String FORM = "must be an array of 1 to " + MAX_MESSAGES + " objects";

  private BatchBody() {}

  /**
   * @throws BadJson if the body is not JSON
   * @throws InvalidFields if it does not contain such a list
   */
  static List<byte[]> parse(byte[] body) {
    if (!Utf8.valid(body)) {
      throw new BadJson("the body is not valid UTF-8; send JSON as UTF-8");
    }
    try (JsonParser parser = Json.FACTORY.createParser(ObjectReadContext.empty(), body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new InvalidFields(
            new Problem(List.of("body"), "must be a JSON object", Problem.VALUE));
      }
      List<byte[]> messages = null;
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        JsonToken token = parser.nextToken();
        if (name.equals("messages")) {
          messages = messages(parser, token, body);
        } else {
          throw new InvalidFields(Problem.unknown(List.of("body", name), List.of("messages")));
        }
      }
      if (parser.nextToken() != null) {
        throw new BadJson("the body has content after its JSON object; send one object");
      }
      return required(messages);
    } catch (JacksonException e) {
      throw BadJson.of(e);
    }
  }

  private static List<byte[]> required(@Nullable List<byte[]> messages) {
    if (messages == null) {
      throw new InvalidFields(
          new Problem(List.of("body", "messages"), "is required", Problem.MISSING));
    }
    return messages;
  }

  private static List<byte[]> messages(JsonParser parser, JsonToken token, byte[] body) {
    if (token != JsonToken.START_ARRAY) {
      throw new InvalidFields(Problem.inBody("messages", FORM));
    }
    List<byte[]> messages = new ArrayList<>();
    for (JsonToken item = parser.nextToken();
        item != JsonToken.END_ARRAY;
        item = parser.nextToken()) {
      if (item != JsonToken.START_OBJECT || messages.size() == MAX_MESSAGES) {
        throw new InvalidFields(Problem.inBody("messages", FORM));
      }
      int start = (int) parser.currentTokenLocation().getByteOffset();
      parser.skipChildren();
      int end = (int) parser.currentLocation().getByteOffset();
      if (start < 0 || end > body.length || body[start] != '{' || body[end - 1] != '}') {
        throw new BadJson("the body must be JSON in UTF-8 without a byte order mark");
      }
      messages.add(Arrays.copyOfRange(body, start, end));
    }
    if (messages.isEmpty()) {
      throw new InvalidFields(Problem.inBody("messages", FORM));
    }
    return messages;
  }
}
