package dev.postrider.api;

import dev.postrider.json.Json;
import dev.postrider.json.Times;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * Writes an answer as a stream of tokens; a thin layer over the generator with the kinds of value
 * that answers have.
 */
final class JsonOut {
  private static final int TYPICAL_BYTES = 512;

  private final JsonGenerator out;

  private JsonOut(JsonGenerator out) {
    this.out = out;
  }

  /** Writes one value. */
  @FunctionalInterface
  interface Writing {
    void to(JsonOut out);
  }

  static byte[] bytes(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(TYPICAL_BYTES);
    try (JsonGenerator generator =
        Json.FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      writing.to(new JsonOut(generator));
    }
    return bytes.toByteArray();
  }

  JsonOut object(Writing fields) {
    out.writeStartObject();
    fields.to(this);
    out.writeEndObject();
    return this;
  }

  JsonOut object(String name, Writing fields) {
    out.writeName(name);
    return object(fields);
  }

  <T> JsonOut array(String name, List<T> items, ItemWriting<T> writing) {
    out.writeName(name);
    out.writeStartArray();
    for (T item : items) {
      object(o -> writing.write(o, item));
    }
    out.writeEndArray();
    return this;
  }

  /** Writes the fields of one item. */
  @FunctionalInterface
  interface ItemWriting<T> {
    void write(JsonOut out, T item);
  }

  JsonOut text(String name, String value) {
    out.writeStringProperty(name, value);
    return this;
  }

  JsonOut textOrNull(String name, @Nullable String value) {
    if (value == null) {
      out.writeNullProperty(name);
    } else {
      out.writeStringProperty(name, value);
    }
    return this;
  }

  JsonOut number(String name, long value) {
    out.writeNumberProperty(name, value);
    return this;
  }

  JsonOut numberOrNull(String name, @Nullable Number value) {
    if (value == null) {
      out.writeNullProperty(name);
    } else {
      out.writeNumberProperty(name, value.longValue());
    }
    return this;
  }

  JsonOut flag(String name, boolean value) {
    out.writeBooleanProperty(name, value);
    return this;
  }

  JsonOut time(String name, long epochMs) {
    return text(name, Times.text(epochMs));
  }

  JsonOut timeOrNull(String name, @Nullable Long epochMs) {
    return textOrNull(name, epochMs == null ? null : Times.text(epochMs));
  }

  JsonOut numbers(String name, List<Long> values) {
    out.writeName(name);
    out.writeStartArray();
    values.forEach(out::writeNumber);
    out.writeEndArray();
    return this;
  }

  JsonOut texts(String name, List<String> values) {
    out.writeName(name);
    out.writeStartArray();
    values.forEach(out::writeString);
    out.writeEndArray();
    return this;
  }

  /** Null instead of an empty list, as an absent restriction is written. */
  JsonOut textsOrNull(String name, List<String> values) {
    if (values.isEmpty()) {
      out.writeNullProperty(name);
      return this;
    }
    return texts(name, values);
  }

  JsonOut textsByName(String name, Map<String, String> values) {
    return object(name, o -> values.forEach(o::text));
  }

  /** JSON that is known to be valid, as it is. */
  JsonOut raw(String name, @Nullable String json) {
    out.writeName(name);
    if (json == null) {
      out.writeNull();
    } else {
      out.writeRawValue(json);
    }
    return this;
  }
}
