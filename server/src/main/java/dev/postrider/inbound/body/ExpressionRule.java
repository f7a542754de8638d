package dev.postrider.inbound.body;

import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.FormBytes;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.expression.JsonBytes;
import dev.postrider.expression.Value;
import dev.postrider.inbound.request.Extractor;
import dev.postrider.inbound.request.InboundRequest;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An expression over {@code payload}, {@code headers}, {@code query} and {@code method}. If it
 * fails or has no plain value, there is no result; if no thread is free for it, the request gets a
 * 503, because a duplicate must not pass for lack of a thread.
 */
record ExpressionRule(String text, Expressions expressions) implements Extractor {
  private static final System.Logger LOG = System.getLogger(ExpressionRule.class.getName());

  static ExpressionRule of(String text, Expressions expressions) {
    try {
      expressions.check(text);
    } catch (InvalidExpression e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    return new ExpressionRule(text, expressions);
  }

  @Override
  public @Nullable String extract(InboundRequest request) {
    Map<String, @Nullable Object> context = new HashMap<>();
    context.put("payload", payload(request));
    Map<String, @Nullable Object> headers = new HashMap<>();
    request.headers().names().forEach(name -> headers.put(name, request.header(name)));
    context.put("headers", headers);
    context.put("query", FormBytes.read(request.query().getBytes(StandardCharsets.UTF_8)));
    context.put("method", request.method());
    try {
      return switch (expressions.evaluate(text, context)) {
        case Value.Plain(String found) -> found;
        case Value.Plain(Number found) -> plain(found);
        case Value.Plain(Boolean found) -> found.toString();
        case Value.Plain _, Value.Absent _, Value.Cancel _, Value.Request _ -> null;
      };
    } catch (ExpressionFailed e) {
      LOG.log(Level.DEBUG, "the expression \"{0}\" failed: {1}", text, e.getMessage());
      return null;
    }
  }

  /** As filters will see it; JSON also where the content type is another. */
  private static @Nullable Object payload(InboundRequest request) {
    byte[] body = request.body();
    boolean json = body.length > 0 && (body[0] == '{' || body[0] == '[');
    return FormBytes.isForm(request.mediaType()) && !json
        ? FormBytes.read(body)
        : JsonBytes.read(body, true);
  }

  /** 7 and 7.0 are the same number. */
  private static String plain(Number number) {
    double value = number.doubleValue();
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : number.toString();
  }
}
