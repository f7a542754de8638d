package dev.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.field.FieldValues;
import dev.postrider.json.TextRule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Values of declared fields, for tests that store or write all of them. */
public final class FieldSamples {
  private FieldSamples() {}

  /** A value of each stored field that is not its default. */
  public static FieldValues of(FieldSet fields) {
    FieldValues samples = FieldValues.NONE;
    for (Field<?> field : fields.stored()) {
      samples = set(samples, field, sample(field.type()));
      assertThat(samples.differs(field, FieldValues.NONE)).as(field.name()).isTrue();
    }
    return samples;
  }

  private static Object sample(FieldType<?> type) {
    return switch (type) {
      case FieldType.Text _, FieldType.TextOrTable _ -> "text";
      case FieldType.Url _ -> "https://sample.example.com/";
      case FieldType.Choice(List<String> words) -> words.getLast();
      case FieldType.TwoWords _ -> true;
      case FieldType.Flag _ -> true;
      case FieldType.WholeNumber(int _, int max) -> max;
      case FieldType.Milliseconds(int _, int max) -> max;
      case FieldType.Bytes(int _, int max) -> max;
      case FieldType.DurationText(Duration _, Duration max) -> max;
      case FieldType.TextList _ -> List.of("a", "b");
      case FieldType.EventTypes _ -> List.of("a.*", "b");
      case FieldType.HeaderNames _ -> List.of("ce-*", "x-a");
      case FieldType.Networks _ -> List.of("192.0.2.0/24");
      case FieldType.TextMap _ -> Map.of("k", "v");
      case FieldType.JsonObject _ -> "{\"k\":{\"n\":[1,true,null,\"v\"]}}";
      case FieldType.Expression _ -> "payload.n = 1";
      case FieldType.RetrySchedule _ -> "5s,30s";
      case FieldType.JsonSchema _ -> "{}";
      case FieldType.TimeZone _ -> "Europe/Berlin";
      case FieldType.Schemas _ -> "{\"1\":{}}";
      case FieldType.Signature _ -> "{\"type\":\"none\"}";
      case FieldType.Group(FieldSet own, boolean _) -> of(own);
      case FieldType.JsonValue _ -> "{\"n\":1.5}";
      case FieldType.Tables(String _, Supplier<FieldSet> own, int _) -> List.of(flat(own.get()));
      case FieldType.TablesByName(TextRule _, FieldSet own, int _) -> Map.of("k", of(own));
      case FieldType.WriteOnly<?> _ -> throw new IllegalArgumentException("not stored");
    };
  }

  /** Without lists of objects, which could contain themselves. */
  private static FieldValues flat(FieldSet fields) {
    FieldValues samples = FieldValues.NONE;
    for (Field<?> field : fields.stored()) {
      if (!(field.type() instanceof FieldType.Tables)) {
        samples = set(samples, field, sample(field.type()));
      }
    }
    return samples;
  }

  @SuppressWarnings("unchecked") // the type of a field is that of its values
  private static <T> FieldValues set(FieldValues values, Field<T> field, Object sample) {
    Object other = Boolean.TRUE.equals(values.value(field)) ? (Object) false : sample;
    return values.with(field, (T) other);
  }
}
