package dev.postrider.workflow.data;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text with {@code {{ expression }}} and {@code {{secrets.NAME}}} in it. A secret is never an
 * expression: it is replaced when a request is sent, and is in no row.
 */
public record TextTemplate(List<Part> parts) {
  private static final Pattern SECRET = Pattern.compile("secrets\\.([A-Za-z0-9_]{1,64})");
  private static final String OPEN = "{{";
  private static final String CLOSE = "}}";

  /** A part of the text. */
  public sealed interface Part {}

  /** Text as it is. */
  public record Literal(String text) implements Part {}

  /**
   * The value of an expression.
   *
   * @param offset where the expression begins in the text of the template
   */
  public record Computed(String expression, int offset) implements Part {}

  /** The value of a secret of the workflow. */
  public record SecretName(String name) implements Part {}

  /** A part begins and does not end. */
  public static final class Unclosed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unclosed(int offset) {
      super("has {{ at position " + offset + " without }}; close it");
    }
  }

  public TextTemplate {
    parts = List.copyOf(parts);
  }

  /**
   * @throws Unclosed with the position
   */
  public static TextTemplate parse(String text) {
    List<Part> parts = new ArrayList<>();
    int at = 0;
    for (int open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, at)) {
      if (open > at) {
        parts.add(new Literal(text.substring(at, open)));
      }
      int close = close(text, open + OPEN.length());
      if (close < 0) {
        throw new Unclosed(open);
      }
      String inside = text.substring(open + OPEN.length(), close);
      Matcher secret = SECRET.matcher(inside.strip());
      parts.add(
          secret.matches()
              ? new SecretName(secret.group(1))
              : new Computed(inside.strip(), open + OPEN.length()));
      at = close + CLOSE.length();
    }
    if (at < text.length() || parts.isEmpty()) {
      parts.add(new Literal(text.substring(at)));
    }
    return new TextTemplate(parts);
  }

  /** The end of an expression: braces and quotes inside it are its own. */
  private static int close(String text, int from) {
    int depth = 0;
    char quote = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        if (c == '\\') {
          i++;
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '"' || c == '\'' || c == '`') {
        quote = c;
      } else if (c == '{') {
        depth++;
      } else if (c == '}' && depth > 0) {
        depth--;
      } else if (c == '}' && text.startsWith(CLOSE, i)) {
        return i;
      }
    }
    return -1;
  }

  public static TextTemplate literal(String text) {
    return new TextTemplate(List.of(new Literal(text)));
  }

  /** Whether the text is always the same and has no secret. */
  public boolean isLiteral() {
    return parts.stream().allMatch(Literal.class::isInstance);
  }

  /** The expressions, in order. */
  public List<Computed> expressions() {
    return parts.stream().filter(Computed.class::isInstance).map(Computed.class::cast).toList();
  }

  /** The names of the secrets, in order. */
  public List<String> secrets() {
    return parts.stream()
        .filter(SecretName.class::isInstance)
        .map(part -> ((SecretName) part).name())
        .toList();
  }
}
