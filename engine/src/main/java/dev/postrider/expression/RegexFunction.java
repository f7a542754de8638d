package dev.postrider.expression;

import com.dashjoin.jsonata.Jsonata;
import com.google.re2j.Matcher;
import dev.postrider.evaluation.Regex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression as a JSONata function: it takes a text and returns the first match, with
 * {@code next} for the following one.
 */
final class RegexFunction extends Jsonata.JFunction {
  private final Regex regex;

  RegexFunction(Regex regex) {
    super((_, arguments) -> apply(regex, (List<?>) arguments), null);
    this.regex = regex;
  }

  Matcher matcher(String text) {
    return regex.matcher(text);
  }

  private static @Nullable Object apply(Regex regex, List<?> arguments) {
    return !arguments.isEmpty() && arguments.getFirst() instanceof String text
        ? next(regex.matcher(text))
        : null;
  }

  private static @Nullable Map<String, Object> next(Matcher matcher) {
    if (!matcher.find()) {
      return null;
    }
    Map<String, Object> match = describe(matcher);
    match.put("next", new Jsonata.JFunction((_, _) -> next(matcher), "<:o>"));
    return match;
  }

  /** The match that the matcher is at. */
  static Map<String, Object> describe(Matcher matcher) {
    Map<String, Object> match = new LinkedHashMap<>();
    match.put("match", matcher.group());
    match.put("start", matcher.start());
    match.put("end", matcher.end());
    match.put("groups", groups(matcher));
    return match;
  }

  static List<@Nullable String> groups(Matcher matcher) {
    List<@Nullable String> groups = new ArrayList<>(matcher.groupCount());
    for (int i = 1; i <= matcher.groupCount(); i++) {
      groups.add(matcher.group(i));
    }
    return groups;
  }
}
