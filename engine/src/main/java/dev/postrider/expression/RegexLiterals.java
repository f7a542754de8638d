package dev.postrider.expression;

import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Parser;
import dev.postrider.evaluation.Regex;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the regular expressions of a parsed expression by {@link RegexFunction}s. The parser
 * compiles them for {@code java.util.regex}, where they may run forever, and has no setting for
 * another engine, so its tree is traversed by reflection. {@link Bounds} rejects any that was
 * missed.
 */
final class RegexLiterals {
  static final Field TREE = accessible(field(Jsonata.class, "ast"));
  static final Field VALUE = accessible(field(Parser.Symbol.class, "value"));

  static final List<Field> CHILDREN =
      Arrays.stream(Parser.Symbol.class.getDeclaredFields())
          .filter(field -> !Modifier.isStatic(field.getModifiers()))
          .filter(field -> !field.getType().isPrimitive())
          .map(RegexLiterals::accessible)
          .toList();

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private RegexLiterals() {}

  /**
   * @throws dev.postrider.evaluation.InvalidRegex if one cannot run in linear time
   */
  static void replaceIn(Jsonata expression) {
    new RegexLiterals().visit(get(TREE, expression));
  }

  private void visit(@Nullable Object node) {
    switch (node) {
      case Parser.Symbol symbol when seen.add(symbol) -> {
        if (get(VALUE, symbol) instanceof Pattern pattern) {
          set(symbol, new RegexFunction(regex(pattern)));
        }
        CHILDREN.forEach(child -> visit(get(child, symbol)));
      }
      case List<?> list -> list.forEach(this::visit);
      case Object[] array -> Arrays.asList(array).forEach(this::visit);
      case null, default -> {}
    }
  }

  private static Regex regex(Pattern pattern) {
    return Regex.compile(
        pattern.pattern(),
        (pattern.flags() & Pattern.CASE_INSENSITIVE) != 0,
        (pattern.flags() & Pattern.MULTILINE) != 0);
  }

  static Field field(Class<?> type, String name) {
    try {
      return type.getDeclaredField(name);
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException("this version of the JSONata library is not supported", e);
    }
  }

  static Field accessible(Field field) {
    field.setAccessible(true);
    return field;
  }

  static @Nullable Object get(Field field, Object of) {
    try {
      return field.get(of);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void set(Parser.Symbol symbol, Object value) {
    try {
      VALUE.set(symbol, value);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
