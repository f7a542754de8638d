package dev.postrider.expression;

import com.dashjoin.jsonata.Jsonata;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an expression came to. */
public sealed interface Value {

  /** Whether a filter lets pass what came to this. */
  default boolean isTrue() {
    return switch (this) {
      case Absent _, Cancel _ -> false;
      case Request _ -> true;
      case Plain plain -> Jsonata.boolize(plain.value());
    };
  }

  /** Nothing: a path that leads nowhere. */
  record Absent() implements Value {}

  /** A value as JSON has it. */
  record Plain(@Nullable Object value) implements Value {}

  /** {@code $cancel()} */
  record Cancel() implements Value {}

  /** {@code $request({...})}: parts of a request by name. */
  record Request(Map<String, @Nullable Object> parts) implements Value {
    public Request {
      parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
    }
  }
}
