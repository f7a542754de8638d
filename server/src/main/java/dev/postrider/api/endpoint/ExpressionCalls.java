package dev.postrider.api.endpoint;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.expression.JsonBytes;
import dev.postrider.expression.Place;
import dev.postrider.expression.Value;
import dev.postrider.id.ApplicationId;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The API call that evaluates an expression with sample input, without a message or delivery. */
public final class ExpressionCalls {
  private static final int MAX_CONTEXT = 256 * 1024;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Expressions expressions;

  public ExpressionCalls(Expressions expressions) {
    this.expressions = expressions;
  }

  /**
   * The value of the expression over {@code context}: {@code result} and its meaning for a filter
   * or a transform, or {@code error} with its position.
   */
  public void test(Call call) throws IOException {
    Fields fields = call.fields();
    String text = fields.requiredText("expression", TextRule.of(1, Limits.EXPRESSION));
    String context = fields.json("context", MAX_CONTEXT);
    fields.check();
    ApplicationId application = call.key().applicationId();
    Expressions owned =
        expressions.ownedBy(application == null ? call.environmentId() : application.value());
    call.json(200, out -> out.object(o -> write(o, owned, text, context)));
  }

  private static void write(
      JsonOut out, Expressions expressions, String text, @Nullable String context) {
    try {
      expressions.check(text);
      Value value = expressions.evaluate(text, context(context));
      out.flag("ok", true)
          .text("outcome", outcome(value))
          .flag("filter", value.isTrue())
          .raw("result", result(value));
    } catch (InvalidExpression e) {
      error(out, e.getMessage(), e.place());
    } catch (ExpressionFailed e) {
      error(out, e.getMessage(), e.place());
    } catch (EvaluationBusy e) {
      throw ApiError.unavailable(String.valueOf(e.getMessage()), RETRY_AFTER);
    }
  }

  private static String outcome(Value value) {
    return switch (value) {
      case Value.Absent _ -> "nothing";
      case Value.Plain _ -> "value";
      case Value.Cancel _ -> "cancel";
      case Value.Request _ -> "request";
    };
  }

  private static @Nullable String result(Value value) {
    return switch (value) {
      case Value.Absent _, Value.Cancel _ -> null;
      case Value.Plain plain -> json(plain.value());
      case Value.Request request -> json(request.parts());
    };
  }

  private static String json(@Nullable Object value) {
    return new String(
        JsonBytes.write(value, ExpressionLimits.DEFAULT.outputBytes()), StandardCharsets.UTF_8);
  }

  private static void error(JsonOut out, @Nullable String message, @Nullable Place place) {
    out.flag("ok", false)
        .object(
            "error",
            o -> {
              o.text("message", String.valueOf(message));
              if (place != null) {
                o.number("offset", place.offset())
                    .number("line", place.line())
                    .number("column", place.column());
              }
            });
  }

  private static Map<String, @Nullable Object> context(@Nullable String json) {
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    if (json != null
        && JsonBytes.read(json.getBytes(StandardCharsets.UTF_8), true) instanceof Map<?, ?> given) {
      given.forEach((name, value) -> context.put(String.valueOf(name), value));
    }
    return context;
  }
}
