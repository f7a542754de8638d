package dev.postrider.inbound.body;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceForm.Expects;
import dev.postrider.json.Json;
import dev.postrider.json.Utf8;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.JsonNode;

/**
 * Checks whether a body has the format that its source expects, and determines how it is stored.
 */
public final class BodyForm {
  private static final String JSON = "application/json";
  private static final int MAX_CONTENT_TYPE = 255;
  private static final byte[] MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private BodyForm() {}

  /** Null for plain JSON, as messages are stored. */
  public static @Nullable String contentType(InboundRequest request, SourceForm form) {
    String given = request.headers().first("content-type");
    if (request.body().length == 0) {
      return given == null || given.length() > MAX_CONTENT_TYPE || isJson(request, form)
          ? "application/octet-stream"
          : given;
    }
    if (isJson(request, form) && !request.mediaType().endsWith("+json")) {
      return null;
    }
    return given == null || given.isBlank() || given.length() > MAX_CONTENT_TYPE
        ? "application/octet-stream"
        : given;
  }

  /**
   * The bytes of the message: as received, but JSON without a byte order mark, because JSON with
   * one is not valid when it is embedded in other JSON.
   */
  public static byte[] stored(InboundRequest request, SourceForm form) {
    return isJson(request, form) ? unmarked(request.body()) : request.body();
  }

  static byte[] unmarked(byte[] body) {
    boolean marked =
        body.length >= MARK.length && Arrays.equals(body, 0, MARK.length, MARK, 0, MARK.length);
    return marked ? Arrays.copyOfRange(body, MARK.length, body.length) : body;
  }

  private static Expects expects(SourceForm form) {
    return Expects.of(form.get(SourceFields.EXPECTS));
  }

  private static boolean isJson(InboundRequest request, SourceForm form) {
    return switch (expects(form)) {
      case JSON -> true;
      case ANY -> form.get(SourceFields.SCHEMA) != null;
      case AUTO ->
          form.get(SourceFields.SCHEMA) != null
              || request.mediaType().equals(JSON)
              || request.mediaType().endsWith("+json");
    };
  }

  /** The problem with the body; null if there is none. */
  public static @Nullable String problem(
      InboundRequest request, SourceForm form, @Nullable BodySchema schema) {
    if (!isJson(request, form)) {
      return null;
    }
    if (request.body().length == 0 && expects(form) == Expects.AUTO && schema == null) {
      return null;
    }
    if (!Utf8.valid(request.body())) {
      return "the body is not valid UTF-8; send JSON as UTF-8";
    }
    try {
      if (schema != null) {
        JsonNode tree = Json.MAPPER.readTree(request.body());
        return tree.isMissingNode() ? "the body is empty" : schema.problem(tree);
      }
      return JsonBody.isOneValue(request.body()) ? null : "the body must be exactly one JSON value";
    } catch (StreamConstraintsException e) {
      return "the body exceeds the limits of this server for the nesting depth or length of JSON";
    } catch (JacksonException e) {
      return "the body is not JSON: " + e.getOriginalMessage();
    }
  }
}
