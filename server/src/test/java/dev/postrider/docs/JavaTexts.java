package dev.postrider.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the string literals, the text blocks and the comments of Java sources. */
final class JavaTexts {
  private static final Pattern NEXT_PART = Pattern.compile("\\s*\\+\\s*\"(?!\"\")");
  private static final Pattern LINES = Pattern.compile("//[^\\n]*(?:\\n\\s*//[^\\n]*)*");

  /** What is around the words of a comment: the slashes and asterisks of each line. */
  private static final Pattern MARKS = Pattern.compile("(?:^|\\n)\\s*(?:/\\*+|\\*(?!/)|//)|\\*/$");

  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");

  private final String source;
  private final List<String> literals = new ArrayList<>();
  private final List<String> comments = new ArrayList<>();
  private int at;

  private JavaTexts(String source) {
    this.source = source;
  }

  /**
   * The contents between the quotes, literals that are joined by + as one. Escapes stay as they are
   * written.
   */
  static List<String> literals(String source) {
    return scanned(source).literals;
  }

  /**
   * Each comment as one line, without what it quotes. Comments of lines below each other are one.
   */
  static List<String> comments(String source) {
    return scanned(source).comments;
  }

  private static JavaTexts scanned(String source) {
    JavaTexts scan = new JavaTexts(source);
    while (scan.at < source.length()) {
      scan.step();
    }
    return scan;
  }

  private void step() {
    if (source.startsWith("//", at)) {
      Matcher lines = LINES.matcher(source).region(at, source.length());
      lines.lookingAt();
      comment(lines.end());
    } else if (source.startsWith("/*", at)) {
      int end = source.indexOf("*/", at + 2);
      comment(end < 0 ? source.length() : end + 2);
    } else if (source.startsWith("\"\"\"", at)) {
      literals.add(quoted("\"\"\""));
    } else if (source.charAt(at) == '"') {
      literals.add(joined());
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

  private void comment(int end) {
    String words = MARKS.matcher(source.substring(at, end)).replaceAll(" ");
    comments.add(QUOTED.matcher(words).replaceAll(" ").replaceAll("\\s+", " ").strip());
    at = end;
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
