package dev.postrider.expression;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import dev.postrider.time.TimeSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Functions that every expression gets: our own two, and those of the language that could run for
 * ever or make texts of any length in a single step, which no callback sees.
 */
final class Builtins {
  /** What {@code $cancel()} gives. */
  static final class CancelMark extends LinkedHashMap<String, Object> {}

  /** What {@code $request({...})} gives. */
  static final class RequestMark extends LinkedHashMap<String, Object> {
    RequestMark(Map<String, Object> parts) {
      super(parts);
    }
  }

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
    bind(frame, "pad", "<s-ns?:s>", this::pad);
    bind(frame, "join", "<a<s>s?:s>", this::join);
    bind(frame, "contains", "<s-(sf):b>", this::contains);
    bind(frame, "match", "<s-f<s:o>n?:a<o>>", this::match);
    bind(frame, "replace", "<s-(sf)(sf)n?:s>", this::replace);
    bind(frame, "split", "<s-(sf)n?:a<s>>", this::split);
  }

  private interface Body {
    @Nullable Object of(List<?> arguments);
  }

  private static void bind(Jsonata.Frame frame, String name, String signature, Body body) {
    frame.bind(
        name, new Jsonata.JFunction((_, arguments) -> body.of((List<?>) arguments), signature));
  }

  private static @Nullable Object at(List<?> arguments, int n) {
    return n < arguments.size() ? arguments.get(n) : null;
  }

  private static @Nullable String text(List<?> arguments, int n) {
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
  private String now(List<?> arguments) {
    return Functions.dateTimeFromMillis(time.nowMs(), text(arguments, 0), text(arguments, 1));
  }

  private static Object noEval() {
    throw new JException("D3121", -1, "$eval is not available here; write the expression out");
  }

  private @Nullable Object pad(List<?> arguments) {
    if (at(arguments, 1) instanceof Number width) {
      bounds.checkLength(Math.abs(width.longValue()));
      return Functions.pad(text(arguments, 0), width, text(arguments, 2));
    }
    return null;
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

  private @Nullable Object contains(List<?> arguments) {
    String text = text(arguments, 0);
    tryOut(text, at(arguments, 1));
    return Functions.contains(text, at(arguments, 1));
  }

  private @Nullable Object match(List<?> arguments) {
    String text = text(arguments, 0);
    if (!(at(arguments, 1) instanceof Pattern pattern)) {
      throw new JException("T0410", -1, 2, "match");
    }
    tryOut(text, pattern);
    return Functions.match(text, pattern, integer(at(arguments, 2)));
  }

  private @Nullable Object replace(List<?> arguments) {
    String text = text(arguments, 0);
    long found = tryOut(text, at(arguments, 1));
    if (text != null && at(arguments, 2) instanceof String by) {
      bounds.checkLength(text.length() + found * by.length());
    }
    return Functions.replace(text, at(arguments, 1), at(arguments, 2), integer(at(arguments, 3)));
  }

  private @Nullable Object split(List<?> arguments) {
    String text = text(arguments, 0);
    tryOut(text, at(arguments, 1));
    return Functions.split(
        text, at(arguments, 1), at(arguments, 2) instanceof Number most ? most : null);
  }

  private static @Nullable Integer integer(@Nullable Object value) {
    return value instanceof Number number ? (Integer) number.intValue() : null;
  }

  /**
   * Runs the pattern over a text that looks at the clock: a pattern that needs for ever is found
   * here, where it can be ended; one that passes takes the library as long again. Returns how often
   * it was found.
   */
  private int tryOut(@Nullable String text, @Nullable Object pattern) {
    if (text != null && pattern instanceof String part) {
      return part.isEmpty() ? 0 : count(text, part);
    }
    if (text == null || !(pattern instanceof Pattern regex)) {
      return 0;
    }
    int found = 0;
    java.util.regex.Matcher matcher = regex.matcher(new Clocked(text, bounds));
    while (matcher.find()) {
      found++;
    }
    return found;
  }

  private static int count(String text, String part) {
    int found = 0;
    for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
      found++;
    }
    return found;
  }

  /** A text that looks at the clock now and then while it is read. */
  private static final class Clocked implements CharSequence {
    private static final int EVERY = 4_096;
    private final CharSequence text;
    private final Bounds bounds;
    private int reads;

    Clocked(CharSequence text, Bounds bounds) {
      this.text = text;
      this.bounds = bounds;
    }

    @Override
    public char charAt(int index) {
      if (++reads % EVERY == 0) {
        bounds.checkTime();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new Clocked(text.subSequence(start, end), bounds);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
