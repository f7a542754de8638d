package dev.postrider.expression;

import com.dashjoin.jsonata.Jsonata;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of a JSONata expression, such as a filter or a transform. */
public sealed interface Value {

  /** Whether a filter with this result accepts the message. */
  default boolean isTrue() {
    return switch (this) {
      case Absent _, Cancel _ -> false;
      case Request _ -> true;
      case Plain plain -> Jsonata.boolize(plain.value());
    };
  }

  /** No value: the expression is a path that matches nothing. */
  record Absent() implements Value {}

  /** A JSON value. */
  record Plain(@Nullable Object value) implements Value {}

  /** The expression called {@code $cancel()}: the message is not delivered. */
  record Cancel() implements Value {}

  /** The expression called {@code $request({...})}: it sets parts of the request, by name. */
  record Request(Map<String, @Nullable Object> parts) implements Value {
    public Request {
      parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
    }
  }
}
