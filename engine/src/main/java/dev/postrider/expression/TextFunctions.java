package dev.postrider.expression;

import static dev.postrider.expression.Builtins.at;
import static dev.postrider.expression.Builtins.text;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Utils;
import com.google.re2j.Matcher;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * String search functions of JSONata, in place of those of the JSONata library, which support only
 * {@code java.util.regex} and search a long string without a limit.
 */
final class TextFunctions {
  private final Bounds bounds;

  TextFunctions(Bounds bounds) {
    this.bounds = bounds;
  }

  void bind(Jsonata.Frame frame) {
    Builtins.bind(frame, "contains", "<s-(sf):b>", this::contains);
    Builtins.bind(frame, "match", "<s-f<s:o>n?:a<o>>", this::match);
    Builtins.bind(frame, "replace", "<s-(sf)(sf)n?:s>", this::replace);
    Builtins.bind(frame, "split", "<s-(sf)n?:a<s>>", this::split);
    Builtins.bind(frame, "substringBefore", "<s-s:s>", this::substringBefore);
    Builtins.bind(frame, "substringAfter", "<s-s:s>", this::substringAfter);
  }

  private @Nullable Object contains(List<?> arguments) {
    String text = text(arguments, 0);
    Object token = at(arguments, 1);
    bounds.checkSearch(text, token);
    return switch (token) {
      case null -> null;
      case RegexFunction regex when text != null -> regex.matcher(text).find();
      case String part when text != null -> text.contains(part);
      default -> text == null ? null : refuse("contains", 2);
    };
  }

  private @Nullable Object match(List<?> arguments) {
    String text = text(arguments, 0);
    if (text == null) {
      return null;
    }
    if (!(at(arguments, 1) instanceof RegexFunction regex)) {
      return refuse("match", 2);
    }
    int limit = limit(arguments, 2, "match");
    List<Object> matches = Utils.createSequence();
    Matcher matcher = regex.matcher(text);
    while (matches.size() < limit && matcher.find()) {
      Map<String, Object> match = new LinkedHashMap<>();
      match.put("match", matcher.group());
      match.put("index", matcher.start());
      match.put("groups", RegexFunction.groups(matcher));
      matches.add(match);
      bounds.checkItems(matches.size());
      bounds.check();
    }
    return matches;
  }

  private @Nullable Object split(List<?> arguments) {
    String text = text(arguments, 0);
    if (text == null) {
      return null;
    }
    Object separator = at(arguments, 1);
    int limit = limit(arguments, 2, "split");
    bounds.checkSearch(text, separator);
    List<Object> parts = Utils.createSequence();
    Gaps gaps =
        switch (separator) {
          case RegexFunction regex -> new Gaps(regex.matcher(text));
          case String part -> new Gaps(text, part);
          case null, default -> throw wrong("split", 2);
        };
    int start = 0;
    while (parts.size() < limit && gaps.next()) {
      if (gaps.end > 0 && gaps.start < text.length()) {
        parts.add(text.substring(start, gaps.start));
        start = gaps.end;
      }
      bounds.checkItems(parts.size());
      bounds.check();
    }
    if (parts.size() < limit) {
      parts.add(text.substring(start));
    }
    return parts;
  }

  private @Nullable Object replace(List<?> arguments) {
    String text = text(arguments, 0);
    if (text == null) {
      return null;
    }
    Object pattern = at(arguments, 1);
    Object by = at(arguments, 2);
    int limit = limit(arguments, 3, "replace");
    if (pattern instanceof String part && part.isEmpty()) {
      throw new JException("D3010", -1, "replace");
    }
    if (by == null || (!(by instanceof String) && !(pattern instanceof RegexFunction))) {
      return refuse("replace", 3);
    }
    bounds.checkSearch(text, pattern);
    Gaps gaps =
        switch (pattern) {
          case RegexFunction regex -> new Gaps(regex.matcher(text));
          case String part -> new Gaps(text, part);
          case null, default -> throw wrong("replace", 2);
        };
    StringBuilder out = new StringBuilder();
    int start = 0;
    for (int n = 0; n < limit && gaps.next(); n++) {
      out.append(text, start, gaps.start).append(replacement(by, gaps.matcher));
      start = gaps.end;
      bounds.checkLength(out.length());
      bounds.check();
    }
    return out.append(text, start, text.length()).toString();
  }

  private static String replacement(Object by, @Nullable Matcher matcher) {
    if (matcher == null) {
      return (String) by;
    }
    if (by instanceof String template) {
      return filled(template, matcher);
    }
    Object result;
    try {
      result = Functions.funcApply(by, List.of(RegexFunction.describe(matcher)));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    if (result instanceof String text) {
      return text;
    }
    throw new JException("D3012", -1, "replace");
  }

  /** {@code $0} is the whole match, {@code $1} the first group, {@code $$} a dollar. */
  private static String filled(String template, Matcher matcher) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < template.length()) {
      char c = template.charAt(at++);
      char next = c == '$' && at < template.length() ? template.charAt(at) : 0;
      if (next == '$') {
        out.append('$');
        at++;
      } else if (next >= '0' && next <= '9') {
        int end = groupEnd(template, at, matcher.groupCount());
        int group = Integer.parseInt(template.substring(at, end));
        String found = group <= matcher.groupCount() ? matcher.group(group) : null;
        out.append(found == null ? "" : found);
        at = end;
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  /** As many digits as the number of groups has, fewer if that names no group. */
  private static int groupEnd(String template, int at, int groups) {
    int end = at + 1;
    while (end < template.length()
        && Character.isDigit(template.charAt(end))
        && Integer.parseInt(template.substring(at, end + 1)) <= groups) {
      end++;
    }
    return end;
  }

  private static int limit(List<?> arguments, int n, String function) {
    if (!(at(arguments, n) instanceof Number limit)) {
      return Integer.MAX_VALUE;
    }
    if (limit.doubleValue() < 0) {
      throw new ExpressionFailed("the limit of $" + function + " must not be negative");
    }
    return limit.intValue();
  }

  private static Object refuse(String function, int argument) {
    throw wrong(function, argument);
  }

  private static JException wrong(String function, int argument) {
    return new JException("T0410", -1, argument, function);
  }

  private @Nullable Object substringBefore(List<?> arguments) {
    bounds.checkSearch(text(arguments, 0), at(arguments, 1));
    return Functions.substringBefore(text(arguments, 0), text(arguments, 1));
  }

  private @Nullable Object substringAfter(List<?> arguments) {
    bounds.checkSearch(text(arguments, 0), at(arguments, 1));
    return Functions.substringAfter(text(arguments, 0), text(arguments, 1));
  }

  /** The occurrences of a string or a regular expression in a text, one after the other. */
  private static final class Gaps {
    final @Nullable Matcher matcher;
    private final String text;
    private final String part;
    int start;
    int end;

    Gaps(Matcher matcher) {
      this.matcher = matcher;
      this.text = "";
      this.part = "";
    }

    /** An empty part stands between all characters. */
    Gaps(String text, String part) {
      this.matcher = null;
      this.text = text;
      this.part = part;
    }

    boolean next() {
      if (matcher != null) {
        boolean found = matcher.find();
        start = found ? matcher.start() : 0;
        end = found ? matcher.end() : 0;
        return found;
      }
      start = part.isEmpty() ? end + 1 : text.indexOf(part, end);
      end = start + part.length();
      return start >= 0 && start < text.length();
    }
  }
}
