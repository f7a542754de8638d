package dev.postrider.inbound.body;

import dev.postrider.expression.Expressions;
import dev.postrider.inbound.request.Extractor;
import dev.postrider.inbound.source.SourceForm;
import java.util.regex.Pattern;

/** Parses the text of an event-type rule or a dedupe rule. */
public final class RuleText {
  private static final String HEADER = "header:";
  private static final String FIELD = "field:";
  private static final String FIXED = "fixed:";
  private static final Pattern DOT = Pattern.compile("\\.");
  private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}");
  private static final int MAX_STEPS = 16;

  private RuleText() {}

  public static EventTypeRule eventType(String text, String scheme, Expressions expressions) {
    if (text.equals(SourceForm.PROVIDER)) {
      return EventTypeRule.ofScheme(scheme);
    }
    return text.startsWith(FIXED)
        ? EventTypeRule.fixed(text.substring(FIXED.length()))
        : EventTypeRule.of(extractor(text, expressions));
  }

  public static DedupeRule dedupe(String text, String scheme, Expressions expressions) {
    return switch (text) {
      case SourceForm.PROVIDER -> DedupeRule.ofScheme(scheme);
      case SourceForm.NONE -> DedupeRule.none();
      default -> DedupeRule.of(extractor(text, expressions));
    };
  }

  public static String headerName(String name) {
    if (!HEADER_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"" + name + "\" is not a valid header name; use 1 to 128 letters, digits and hyphens");
    }
    return name;
  }

  /**
   * Whether the event type is determined by an expression, which takes more time than a look-up.
   */
  public static boolean isExpression(String eventType) {
    return !eventType.equals(SourceForm.PROVIDER)
        && !eventType.startsWith(FIXED)
        && !eventType.startsWith(HEADER)
        && !eventType.startsWith(FIELD);
  }

  private static Extractor extractor(String text, Expressions expressions) {
    if (text.startsWith(HEADER)) {
      return Extractor.header(headerName(text.substring(HEADER.length()).strip()));
    }
    if (text.startsWith(FIELD)) {
      String[] path = DOT.split(text.substring(FIELD.length()).strip(), -1);
      if (path.length > MAX_STEPS || path[0].isEmpty()) {
        throw new IllegalArgumentException(
            "must be field: followed by 1 to " + MAX_STEPS + " names, separated by dots");
      }
      return Extractor.fieldOrForm(path);
    }
    return ExpressionRule.of(text, expressions);
  }
}
