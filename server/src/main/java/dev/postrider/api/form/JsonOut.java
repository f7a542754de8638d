package dev.postrider.api.form;

import dev.postrider.json.Json;
import dev.postrider.json.Times;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * Writes a response as a stream of tokens; a thin layer over the generator with the value types of
 * responses.
 */
public final class JsonOut {
  private static final int TYPICAL_BYTES = 512;

  private final JsonGenerator out;

  private JsonOut(JsonGenerator out) {
    this.out = out;
  }

  /** Writes one value. */
  @FunctionalInterface
  public interface Writing {
    void to(JsonOut out);
  }

  public static byte[] bytes(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(TYPICAL_BYTES);
    try (JsonGenerator generator =
        Json.FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      writing.to(new JsonOut(generator));
    }
    return bytes.toByteArray();
  }

  public JsonOut object(Writing fields) {
    out.writeStartObject();
    fields.to(this);
    out.writeEndObject();
    return this;
  }

  public JsonOut object(String name, Writing fields) {
    out.writeName(name);
    return object(fields);
  }

  public <T> JsonOut array(String name, List<T> items, ItemWriting<T> writing) {
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
  public interface ItemWriting<T> {
    void write(JsonOut out, T item);
  }

  /** An array of objects. */
  public <T> JsonOut objects(String name, List<T> items, BiConsumer<JsonOut, T> fields) {
    out.writeName(name);
    out.writeStartArray();
    items.forEach(item -> object(inner -> fields.accept(inner, item)));
    out.writeEndArray();
    return this;
  }

  public JsonOut text(String name, String value) {
    out.writeStringProperty(name, value);
    return this;
  }

  public JsonOut textOrNull(String name, @Nullable String value) {
    if (value == null) {
      out.writeNullProperty(name);
    } else {
      out.writeStringProperty(name, value);
    }
    return this;
  }

  public JsonOut number(String name, long value) {
    out.writeNumberProperty(name, value);
    return this;
  }

  public JsonOut numberOrNull(String name, @Nullable Number value) {
    if (value == null) {
      out.writeNullProperty(name);
    } else {
      out.writeNumberProperty(name, value.longValue());
    }
    return this;
  }

  public JsonOut flag(String name, boolean value) {
    out.writeBooleanProperty(name, value);
    return this;
  }

  public JsonOut time(String name, long epochMs) {
    return text(name, Times.text(epochMs));
  }

  public JsonOut time(String name, Instant time) {
    return text(name, Times.text(time));
  }

  public JsonOut timeOrNull(String name, @Nullable Instant time) {
    return textOrNull(name, time == null ? null : Times.text(time));
  }

  public JsonOut timeOrNull(String name, @Nullable Long epochMs) {
    return textOrNull(name, epochMs == null ? null : Times.text(epochMs));
  }

  public JsonOut numbers(String name, List<Long> values) {
    out.writeName(name);
    out.writeStartArray();
    values.forEach(out::writeNumber);
    out.writeEndArray();
    return this;
  }

  public JsonOut texts(String name, List<String> values) {
    out.writeName(name);
    out.writeStartArray();
    values.forEach(out::writeString);
    out.writeEndArray();
    return this;
  }

  /** Null instead of an empty list, as an absent restriction is written. */
  public JsonOut textsOrNull(String name, List<String> values) {
    if (values.isEmpty()) {
      out.writeNullProperty(name);
      return this;
    }
    return texts(name, values);
  }

  public JsonOut textsByName(String name, Map<String, String> values) {
    return object(name, o -> values.forEach(o::text));
  }

  /** JSON that is known to be valid, as it is. */
  public JsonOut raw(String name, @Nullable String json) {
    out.writeName(name);
    if (json == null) {
      out.writeNull();
    } else {
      out.writeRawValue(json);
    }
    return this;
  }
}
