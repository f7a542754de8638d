package dev.postrider.expression;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Utils;
import dev.postrider.json.Json;
import dev.postrider.time.TimeSource;
import java.text.ParseException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;

/**
 * The functions that every expression can call: Postrider's {@code $cancel} and {@code $request},
 * and replacements for functions of JSONata that could run forever or create strings of any length
 * in one step.
 */
final class Builtins {
  /** The result of {@code $cancel()}. */
  static final class CancelMark extends LinkedHashMap<String, Object> {}

  /** The result of {@code $request({...})}. */
  static final class RequestMark extends LinkedHashMap<String, Object> {
    RequestMark(Map<String, Object> parts) {
      super(parts);
    }
  }

  private static final int MAX_PRECISION = 400;

  private final Bounds bounds;
  private final TimeSource time;

  Builtins(Bounds bounds, TimeSource time) {
    this.bounds = bounds;
    this.time = time;
  }

  void bind(Jsonata.Frame frame) {
    bind(frame, "cancel", "<:o>", _ -> new CancelMark());
    bind(frame, "request", "<o:o>", arguments -> request(arguments.getFirst()));
    bind(frame, "now", "<s?s?:s>", this::now);
    bind(frame, "millis", "<:n>", _ -> time.nowMs());
    bind(frame, "eval", "<sx?:x>", _ -> noEval());
    bind(frame, "parse", "<s-:x>", this::parse);
    bind(frame, "pad", "<s-ns?:s>", this::pad);
    bind(frame, "spread", "<x-:a<o>>", this::spread);
    bind(frame, "join", "<a<s>s?:s>", this::join);
    new TextFunctions(bounds).bind(frame);
    bind(frame, "string", "<x-b?:s>", this::string);
    bind(frame, "round", "<n-n?:n>", this::round);
    bind(frame, "toMillis", "<s-s?:n>", Builtins::toMillis);
    bind(frame, "fromMillis", "<n-s?s?:s>", this::fromMillis);
  }

  interface Body {
    @Nullable Object of(List<?> arguments);
  }

  static void bind(Jsonata.Frame frame, String name, String signature, Body body) {
    frame.bind(
        name, new Jsonata.JFunction((_, arguments) -> body.of((List<?>) arguments), signature));
  }

  static @Nullable Object at(List<?> arguments, int n) {
    return n < arguments.size() ? arguments.get(n) : null;
  }

  static @Nullable String text(List<?> arguments, int n) {
    return at(arguments, n) instanceof String text ? text : null;
  }

  private static @Nullable Object request(@Nullable Object parts) {
    if (!(parts instanceof Map<?, ?> map)) {
      return null;
    }
    Map<String, Object> named = new LinkedHashMap<>();
    map.forEach((name, value) -> named.put(String.valueOf(name), value));
    return new RequestMark(named);
  }

  /** The library keeps a time for each thread, which another expression may have set long ago. */
  private @Nullable String now(List<?> arguments) {
    return written(time.nowMs(), text(arguments, 0), text(arguments, 1));
  }

  private @Nullable String fromMillis(List<?> arguments) {
    return at(arguments, 0) instanceof Number millis
        ? written(millis, text(arguments, 1), text(arguments, 2))
        : null;
  }

  private static @Nullable String written(
      Number millis, @Nullable String picture, @Nullable String timezone) {
    if (picture != null && !DatePicture.isPrintable(picture)) {
      throw new ExpressionFailed("the date format is too long: " + shown(picture));
    }
    return Functions.dateTimeFromMillis(millis, picture, timezone);
  }

  private static @Nullable Object toMillis(List<?> arguments) {
    String text = text(arguments, 0);
    String picture = text(arguments, 1);
    if (text == null) {
      return null;
    }
    if (picture != null && !DatePicture.isReadable(picture)) {
      throw new ExpressionFailed(
          "the date format is ambiguous; put separators between its components: " + shown(picture));
    }
    try {
      return Functions.dateTimeToMillis(text, picture);
    } catch (ParseException e) {
      throw new ExpressionFailed("not a date: " + shown(text));
    }
  }

  private static String shown(String text) {
    return text.length() > 100 ? text.substring(0, 100) + "…" : text;
  }

  /** The value of a string that contains JSON, such as a field of a form. */
  private @Nullable Object parse(List<?> arguments) {
    String text = text(arguments, 0);
    if (text == null) {
      return null;
    }
    bounds.check();
    try {
      Object value =
          Json.MAPPER
              .readerFor(Object.class)
              .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
              .readValue(text);
      return value == null ? Jsonata.NULL_VALUE : value;
    } catch (JacksonException e) {
      throw new ExpressionFailed("$parse: the string is not JSON: " + shown(text));
    }
  }

  private static Object noEval() {
    throw new JException(
        "D3121",
        -1,
        "$eval is not supported; write the expression directly, or use $parse for JSON");
  }

  /** The library adds one character after the other to a copy of the text. */
  private @Nullable Object pad(List<?> arguments) {
    String text = text(arguments, 0);
    if (text == null || !(at(arguments, 1) instanceof Number width)) {
      return text;
    }
    String given = text(arguments, 2);
    String filler = given == null || given.isEmpty() ? " " : given;
    long missing = Math.abs(width.longValue()) - text.codePointCount(0, text.length());
    bounds.checkLength(missing);
    if (missing <= 0) {
      return text;
    }
    int[] fillers = filler.codePoints().toArray();
    StringBuilder padding = new StringBuilder();
    for (int i = 0; i < missing; i++) {
      padding.appendCodePoint(fillers[i % fillers.length]);
    }
    return width.longValue() < 0 ? padding + text : text + padding;
  }

  /** The library copies the whole result for every item. */
  private @Nullable Object spread(List<?> arguments) {
    Object value = at(arguments, 0);
    if (!(value instanceof List<?>) && !(value instanceof Map<?, ?>)) {
      return value;
    }
    List<Object> parts = Utils.createSequence();
    for (Object item : value instanceof List<?> list ? list : List.of(value)) {
      if (item instanceof Map<?, ?> map) {
        map.forEach((key, part) -> parts.add(Collections.singletonMap(key, part)));
      } else {
        parts.add(item);
      }
      bounds.check();
    }
    return parts;
  }

  @SuppressWarnings("unchecked") // the signature says that it is an array of texts
  private @Nullable Object join(List<?> arguments) {
    if (!(at(arguments, 0) instanceof List<?> parts)) {
      return null;
    }
    String between = text(arguments, 1);
    long length = (between == null ? 0L : between.length()) * parts.size();
    for (Object part : parts) {
      length += part instanceof String text ? text.length() : 0;
    }
    bounds.checkLength(length);
    return Functions.join((List<String>) parts, between);
  }

  private @Nullable Object string(List<?> arguments) {
    boolean indented = Boolean.TRUE.equals(at(arguments, 1));
    if (indented) {
      bounds.checkIndented(at(arguments, 0));
    }
    return Functions.string(at(arguments, 0), indented);
  }

  private @Nullable Object round(List<?> arguments) {
    if (!(at(arguments, 0) instanceof Number number)) {
      return null;
    }
    Number precision = at(arguments, 1) instanceof Number given ? given : null;
    if (precision != null && Math.abs(precision.doubleValue()) > MAX_PRECISION) {
      throw new ExpressionFailed("the precision of $round must be at most " + MAX_PRECISION);
    }
    return Functions.round(number, precision);
  }
}
