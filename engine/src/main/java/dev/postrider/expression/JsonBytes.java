package dev.postrider.expression;

import com.dashjoin.jsonata.Jsonata;
import dev.postrider.json.Json;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** Converts values from and to JSON, within limits. */
public final class JsonBytes {
  private JsonBytes() {}

  /**
   * A payload as expressions see it: the JSON value, or the text itself if it is not JSON.
   *
   * @param json whether it is known to be JSON
   */
  public static @Nullable Object read(byte[] payload, boolean json) {
    String text = new String(payload, java.nio.charset.StandardCharsets.UTF_8);
    if (!json) {
      return text;
    }
    try {
      return Json.MAPPER.readValue(payload, Object.class);
    } catch (RuntimeException e) {
      return text;
    }
  }

  /**
   * The value as JSON.
   *
   * @throws ExpressionFailed if it is too large, nested too deeply, or cannot be JSON
   */
  public static byte[] write(@Nullable Object value, int maxBytes) {
    Capped out = new Capped(maxBytes);
    try (JsonGenerator generator = Json.FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
      write(generator, value, 0);
    }
    return out.toByteArray();
  }

  private static void write(JsonGenerator out, @Nullable Object value, int depth) {
    if (depth > Json.MAX_DEPTH) {
      throw new ExpressionFailed("the result is nested deeper than " + Json.MAX_DEPTH);
    }
    switch (value) {
      case null -> out.writeNull();
      case String text -> out.writeString(text);
      case Boolean flag -> out.writeBoolean(flag);
      case Integer number -> out.writeNumber(number);
      case Long number -> out.writeNumber(number);
      case BigInteger number -> out.writeNumber(number);
      case BigDecimal number -> out.writeNumber(number);
      case Number number -> writeDouble(out, number.doubleValue());
      case Map<?, ?> object -> {
        out.writeStartObject();
        for (Map.Entry<?, ?> entry : object.entrySet()) {
          out.writeName(String.valueOf(entry.getKey()));
          write(out, entry.getValue(), depth + 1);
        }
        out.writeEndObject();
      }
      case List<?> array -> {
        out.writeStartArray();
        for (Object item : array) {
          write(out, item, depth + 1);
        }
        out.writeEndArray();
      }
      default -> {
        if (value != Jsonata.NULL_VALUE) {
          throw new ExpressionFailed("the result contains a function; call it, or remove it");
        }
        out.writeNull();
      }
    }
  }

  /** A whole number as JSON has it, without a fraction. */
  private static void writeDouble(JsonGenerator out, double number) {
    if (number == Math.rint(number) && Math.abs(number) < 1e15) {
      out.writeNumber((long) number);
    } else {
      out.writeNumber(number);
    }
  }

  private static final class Capped extends ByteArrayOutputStream {
    private final int max;

    Capped(int max) {
      super(512);
      this.max = max;
    }

    @Override
    public synchronized void write(int b) {
      room(1);
      super.write(b);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
      room(length);
      super.write(bytes, from, length);
    }

    private void room(int more) {
      if (count + more > max) {
        throw new ExpressionFailed("the result is larger than " + max + " bytes");
      }
    }
  }
}
