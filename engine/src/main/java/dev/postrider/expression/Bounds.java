package dev.postrider.expression;

import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Parser;
import dev.postrider.evaluation.Budget;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Enforces the limits of one JSONata evaluation; called before and after each evaluation step. */
final class Bounds {
  private static final long MAX_COMPARED = 1L << 30;

  private final ExpressionLimits limits;
  private final Budget budget;
  private final long maxSize;
  private final IdentityHashMap<Object, Weighed> sizes = new IdentityHashMap<>();
  private int depth;

  /**
   * The measured size of an intermediate value.
   *
   * @param items number of items when it was measured; the library may add to a list later
   */
  private record Weighed(int items, long size) {}

  Bounds(ExpressionLimits limits, Budget budget, @Nullable Object input) {
    this.limits = limits;
    this.budget = budget;
    this.maxSize = limits.valueSize() + size(input);
  }

  void watch(Jsonata.Frame frame) {
    frame.setEvaluateEntryCallback(this::entered);
    frame.setEvaluateExitCallback(this::left);
  }

  private void entered(Parser.Symbol symbol, Object input, Jsonata.Frame frame) {
    if (++depth > limits.depth()) {
      throw over(
          "the expression is nested, or recurses, deeper than " + limits.depth() + " levels");
    }
    budget.check();
  }

  private void left(Parser.Symbol symbol, Object input, Jsonata.Frame frame, Object result) {
    depth--;
    switch (result) {
      case null -> {}
      case String text -> checkLength(text.length());
      case List<?> list -> {
        checkItems(list.size());
        checkSize(size(list));
      }
      case Map<?, ?> map -> checkSize(size(map));
      case Pattern pattern ->
          throw over("the regular expression " + pattern + " could not be replaced");
      default -> {}
    }
  }

  void check() {
    budget.check();
  }

  void checkLength(long length) {
    if (length > limits.outputBytes()) {
      throw over("a string is longer than " + limits.outputBytes() + " characters");
    }
  }

  void checkItems(int items) {
    if (items > limits.items()) {
      throw over("an array has more than " + limits.items() + " items");
    }
  }

  /** For a function that compares every part of one text with the other. */
  void checkSearch(@Nullable String text, @Nullable Object part) {
    if (text != null
        && part instanceof String searched
        && (long) text.length() * searched.length() > MAX_COMPARED) {
      throw over("the search string is too long");
    }
  }

  private void checkSize(long size) {
    if (size > maxSize) {
      throw over("a value is larger than " + limits.valueSize() + " characters");
    }
  }

  /**
   * Characters of the value if it were serialized. A value that repeatedly contains itself takes
   * little memory, but a step that reads all of it would never end.
   */
  private long size(@Nullable Object value) {
    return switch (value) {
      case String text -> text.length() + 1L;
      case Map<?, ?> map -> weighed(map, map.size(), map.values());
      case List<?> list -> weighed(list, list.size(), list);
      case null, default -> 1;
    };
  }

  private long weighed(Object container, int items, Iterable<?> parts) {
    Weighed known = sizes.get(container);
    if (known != null && known.items() == items) {
      return known.size();
    }
    long size = 1;
    for (Object part : parts) {
      size += size(part);
    }
    sizes.put(container, new Weighed(items, size));
    return size;
  }

  /** The same with line breaks and indentation. */
  void checkIndented(@Nullable Object value) {
    checkLength(indented(value, 0));
  }

  private long indented(@Nullable Object value, int level) {
    Iterable<?> parts =
        value instanceof Map<?, ?> map
            ? map.values()
            : value instanceof List<?> list ? list : List.of();
    long size = 2L * level;
    for (Object part : parts) {
      size += indented(part, level + 1);
    }
    return size;
  }

  RuntimeException over(String what) {
    return budget.limit(what);
  }
}
