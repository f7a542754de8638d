package dev.postrider.expression;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import dev.postrider.evaluation.Budget;
import dev.postrider.evaluation.BudgetExceeded;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.evaluation.InvalidRegex;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * JSONata on an {@link Evaluator}. Each thread compiles and caches its own expressions: the library
 * keeps the evaluator of a thread in a static thread-local, so they must not be shared.
 */
public final class JsonataExpressions implements Expressions {
  private final ExpressionLimits limits;
  private final Evaluator evaluator;
  private final TimeSource time;
  private final Object owner;
  private final ThreadLocal<Map<String, Jsonata>> compiled;

  public JsonataExpressions(ExpressionLimits limits, Evaluator evaluator, TimeSource time) {
    this(limits, evaluator, time, "", ThreadLocal.withInitial(() -> cache(limits.cached())));
  }

  private JsonataExpressions(
      ExpressionLimits limits,
      Evaluator evaluator,
      TimeSource time,
      Object owner,
      ThreadLocal<Map<String, Jsonata>> compiled) {
    this.limits = limits;
    this.evaluator = evaluator;
    this.time = time;
    this.owner = owner;
    this.compiled = compiled;
  }

  private static Map<String, Jsonata> cache(int size) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, Jsonata> eldest) {
        return size() > size;
      }
    };
  }

  @Override
  public Expressions ownedBy(Object other) {
    return new JsonataExpressions(limits, evaluator, time, other, compiled);
  }

  @Override
  public void check(String text) {
    if (text.isBlank()) {
      throw new InvalidExpression(null, "must not be empty");
    }
    if (text.length() > limits.textLength()) {
      throw new InvalidExpression(
          null, "must be at most " + limits.textLength() + " characters long");
    }
    try {
      evaluator.compile(owner, () -> compile(text));
    } catch (BudgetExceeded e) {
      throw new InvalidExpression(null, plain(e));
    }
  }

  @Override
  public Names names(String text) {
    check(text);
    try {
      return evaluator.compile(owner, () -> ExpressionNames.of(compile(text)));
    } catch (BudgetExceeded e) {
      throw new InvalidExpression(null, plain(e));
    }
  }

  @Override
  public Value evaluate(String text, Map<String, @Nullable Object> context) {
    return evaluate(text, context, Map.of());
  }

  @Override
  public Value evaluate(
      String text, @Nullable Object context, Map<String, @Nullable Object> variables) {
    try {
      return evaluator.run(owner, () -> evaluate(compile(text), text, context, variables));
    } catch (InvalidExpression e) {
      throw new ExpressionFailed(e.place(), e.withoutPlace());
    } catch (ExpressionFailed | EvaluationBusy e) {
      throw e;
    } catch (RuntimeException | OutOfMemoryError e) { // a limit, or a fault of the library
      throw new ExpressionFailed(plain(e));
    }
  }

  private Jsonata compile(String text) {
    Map<String, Jsonata> known = compiled.get();
    Jsonata expression = known.get(text);
    if (expression == null) {
      expression = parse(text);
      known.put(text, expression);
    }
    return expression;
  }

  private static Jsonata parse(String text) {
    try {
      Jsonata expression = Jsonata.jsonata(text);
      List<Exception> errors = expression.getErrors();
      if (errors != null && !errors.isEmpty()) {
        throw errors.getFirst();
      }
      RegexLiterals.replaceIn(expression);
      expression.setOutputConvertNulls(false);
      return expression;
    } catch (JException e) {
      throw new InvalidExpression(Place.of(text, e.getLocation()), plain(e));
    } catch (InvalidRegex e) {
      throw new InvalidExpression(null, plain(e));
    } catch (PatternSyntaxException e) {
      throw new InvalidExpression(null, "a regular expression is not valid: " + e.getDescription());
    } catch (StackOverflowError e) {
      throw new InvalidExpression(null, "the expression is nested too deeply");
    } catch (Exception e) {
      throw new InvalidExpression(null, plain(e));
    }
  }

  private Value evaluate(
      Jsonata expression,
      String text,
      @Nullable Object context,
      Map<String, @Nullable Object> variables) {
    Bounds bounds = new Bounds(limits, Budget.current(), Arrays.asList(context, variables));
    Jsonata.Frame frame = expression.createFrame();
    variables.forEach(frame::bind);
    bounds.watch(frame);
    new Builtins(bounds, time).bind(frame);
    try {
      return value(expression.evaluate(context, frame));
    } catch (JException e) {
      throw new ExpressionFailed(place(text, e), plain(e));
    }
  }

  /** Some errors of the library name their operator but not where it stands. */
  private static @Nullable Place place(String text, JException fault) {
    if (fault.getLocation() >= 0) {
      return Place.of(text, fault.getLocation());
    }
    if (fault.getCurrent() instanceof String operator && !operator.isEmpty()) {
      int first = text.indexOf(operator);
      return first >= 0 && first == text.lastIndexOf(operator) ? Place.of(text, first) : null;
    }
    return null;
  }

  private static Value value(@Nullable Object result) {
    return switch (result) {
      case null -> new Value.Absent();
      case Builtins.CancelMark _ -> new Value.Cancel();
      case Builtins.RequestMark request -> new Value.Request(request);
      default -> new Value.Plain(unmarked(result));
    };
  }

  /** Without the library's own null and lists. */
  private static @Nullable Object unmarked(Object result) {
    if (result == Jsonata.NULL_VALUE) {
      return null;
    }
    return result instanceof List<?> list
        ? Collections.unmodifiableList(new ArrayList<@Nullable Object>(list))
        : result;
  }

  private static String plain(Throwable fault) {
    String message = fault.getMessage();
    return message == null ? fault.getClass().getSimpleName() : message;
  }
}
