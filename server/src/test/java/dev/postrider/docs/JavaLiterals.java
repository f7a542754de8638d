package dev.postrider.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the string literals and text blocks of Java sources. */
final class JavaLiterals {
  private static final Pattern NEXT_PART = Pattern.compile("\\s*\\+\\s*\"(?!\"\")");

  private final String source;
  private final List<String> found = new ArrayList<>();
  private int at;

  private JavaLiterals(String source) {
    this.source = source;
  }

  /**
   * The contents between the quotes, literals that are joined by + as one. Escapes stay as they are
   * written.
   */
  static List<String> of(String source) {
    JavaLiterals scan = new JavaLiterals(source);
    while (scan.at < source.length()) {
      scan.step();
    }
    return scan.found;
  }

  private void step() {
    if (source.startsWith("//", at)) {
      skipTo("\n");
    } else if (source.startsWith("/*", at)) {
      at += 2;
      skipTo("*/");
    } else if (source.startsWith("\"\"\"", at)) {
      found.add(quoted("\"\"\""));
    } else if (source.charAt(at) == '"') {
      found.add(joined());
    } else if (source.charAt(at) == '\'') {
      quoted("'");
    } else {
      at++;
    }
  }

  private String joined() {
    StringBuilder text = new StringBuilder(quoted("\""));
    Matcher next = NEXT_PART.matcher(source);
    while (next.region(at, source.length()).lookingAt()) {
      at = next.end() - 1;
      text.append(quoted("\""));
    }
    return text.toString();
  }

  private void skipTo(String end) {
    int found = source.indexOf(end, at);
    at = found < 0 ? source.length() : found + end.length();
  }

  private String quoted(String quote) {
    int start = at + quote.length();
    int end = start;
    while (end < source.length() && !source.startsWith(quote, end)) {
      end += source.charAt(end) == '\\' ? 2 : 1;
    }
    at = end + quote.length();
    return source.substring(start, Math.min(end, source.length()));
  }
}
