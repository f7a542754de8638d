package dev.postrider.expression;

import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Parser;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects the variables that a parsed expression reads. Like {@link RegexLiterals}, it traverses
 * the tree of the library by reflection.
 */
final class ExpressionNames {
  private static final String STEPS = "steps";

  /** Functions that {@link Builtins} adds to those of the library. */
  private static final Set<String> ADDED = Set.of("cancel", "request", "parse");

  /** A variable of workflows and a function of the library: only a call means the function. */
  private static final String ERROR = "error";

  private static final Field FUNCTIONS =
      RegexLiterals.accessible(RegexLiterals.field(Jsonata.class, "environment"));

  private static final Field TYPE = symbolField("type");
  private static final Field PATH = symbolField("steps");
  private static final Field TARGET = symbolField("lhs");
  private static final Field ARGUMENTS = symbolField("arguments");
  private static final Field PROCEDURE = symbolField("procedure");
  private static final Field PREDICATE = symbolField("predicate");

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<String> read = new HashSet<>();

  /** Names with a value of the expression itself, wherever they are set in it. */
  private final Set<String> defined = new HashSet<>();

  /** Of the functions around what is being visited. */
  private final List<String> parameters = new ArrayList<>();

  private final Set<String> steps = new HashSet<>();
  private boolean allSteps;

  private ExpressionNames() {}

  static Expressions.Names of(Jsonata expression) {
    ExpressionNames names = new ExpressionNames();
    names.visit(RegexLiterals.get(RegexLiterals.TREE, expression));
    Jsonata.Frame functions =
        (Jsonata.Frame) Objects.requireNonNull(RegexLiterals.get(FUNCTIONS, expression));
    names.read.removeIf(
        name ->
            names.defined.contains(name)
                || ADDED.contains(name)
                || (!name.equals(ERROR) && functions.lookup(name) != null));
    return new Expressions.Names(names.read, names.steps, names.allSteps);
  }

  private void visit(@Nullable Object node) {
    switch (node) {
      case Parser.Symbol symbol when seen.add(symbol) -> visit(symbol);
      case List<?> list -> list.forEach(this::visit);
      case Object[] array -> Arrays.asList(array).forEach(this::visit);
      case null, default -> {}
    }
  }

  private void visit(Parser.Symbol symbol) {
    if (symbol.focus instanceof String name) {
      defined.add(name);
    }
    if (symbol.index instanceof String name) {
      defined.add(name);
    }
    String type = String.valueOf(RegexLiterals.get(TYPE, symbol));
    int outer = parameters.size();
    switch (type) {
      case "variable" -> variable(symbol);
      case "bind" -> define(RegexLiterals.get(TARGET, symbol), defined);
      case "lambda" -> define(RegexLiterals.get(ARGUMENTS, symbol), parameters);
      case "function" -> function(symbol);
      case "path" -> path(symbol);
      default -> {}
    }
    RegexLiterals.CHILDREN.forEach(child -> visit(RegexLiterals.get(child, symbol)));
    parameters.subList(outer, parameters.size()).clear();
  }

  private void function(Parser.Symbol symbol) {
    if (RegexLiterals.get(PROCEDURE, symbol) instanceof Parser.Symbol called
        && ERROR.equals(RegexLiterals.get(RegexLiterals.VALUE, called))) {
      seen.add(called);
    }
  }

  private void variable(Parser.Symbol symbol) {
    String name = String.valueOf(RegexLiterals.get(RegexLiterals.VALUE, symbol));
    // $ is the context and $$ the input.
    if (!name.isEmpty() && !name.equals("$") && !parameters.contains(name)) {
      read.add(name);
      allSteps |= name.equals(STEPS);
    }
  }

  private static void define(@Nullable Object target, Collection<String> names) {
    switch (target) {
      case Parser.Symbol symbol ->
          names.add(String.valueOf(RegexLiterals.get(RegexLiterals.VALUE, symbol)));
      case List<?> list -> list.forEach(each -> define(each, names));
      case null, default -> {}
    }
  }

  /** {@code $steps.name…} reads one step, whatever follows. */
  private void path(Parser.Symbol symbol) {
    if (RegexLiterals.get(PATH, symbol) instanceof List<?> parts
        && parts.size() > 1
        && parts.getFirst() instanceof Parser.Symbol first
        && parts.get(1) instanceof Parser.Symbol second
        && "variable".equals(RegexLiterals.get(TYPE, first))
        && STEPS.equals(RegexLiterals.get(RegexLiterals.VALUE, first))
        && RegexLiterals.get(PREDICATE, first) == null
        && first.focus == null
        && first.index == null
        && "name".equals(RegexLiterals.get(TYPE, second))) {
      read.add(STEPS);
      steps.add(String.valueOf(RegexLiterals.get(RegexLiterals.VALUE, second)));
      seen.add(first);
    }
  }

  private static Field symbolField(String name) {
    return RegexLiterals.accessible(RegexLiterals.field(Parser.Symbol.class, name));
  }
}
