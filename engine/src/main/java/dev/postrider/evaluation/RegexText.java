package dev.postrider.evaluation;

import java.util.ArrayDeque;
import java.util.Deque;

/** Analyzes a regular expression before the engine compiles it. */
final class RegexText {
  private RegexText() {}

  /** Translates escapes of ECMAScript that the engine writes differently. */
  static String translate(String text) {
    StringBuilder out = new StringBuilder(text.length());
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != '\\' || at + 1 == text.length()) {
        out.append(c);
        at++;
        continue;
      }
      char escaped = text.charAt(at + 1);
      int unit = escaped == 'u' ? unit(text, at) : -1;
      int next = unit < 0 ? -1 : unit(text, at + 6);
      if (next >= 0 && Character.isSurrogatePair((char) unit, (char) next)) {
        out.append(hex(Character.toCodePoint((char) unit, (char) next)));
        at += 12;
      } else if (unit >= 0) {
        out.append(hex(unit));
        at += 6;
      } else if (escaped == 'u' && text.startsWith("{", at + 2)) {
        out.append("\\x");
        at += 2;
      } else {
        out.append(c).append(escaped);
        at += 2;
      }
    }
    return out.toString();
  }

  private static String hex(int codePoint) {
    return "\\x{" + Integer.toHexString(codePoint) + "}";
  }

  /** What the escape {@code \\uXXXX} at this place stands for; negative if there is none. */
  private static int unit(String text, int at) {
    if (!text.startsWith("\\u", at) || at + 6 > text.length()) {
      return -1;
    }
    int value = 0;
    for (char c : text.substring(at + 2, at + 6).toCharArray()) {
      int digit = Character.digit(c, 16);
      if (digit < 0) {
        return -1;
      }
      value = value * 16 + digit;
    }
    return value;
  }

  /**
   * Approximate maximum length of the compiled expression: the engine expands {@code a{1000}} to a
   * thousand copies, and nested repetitions multiply.
   */
  static long size(String text) {
    Deque<Long> outer = new ArrayDeque<>();
    long sum = 0;
    long last = 0;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      switch (c) {
        case '(' -> {
          outer.push(sum);
          sum = 0;
          last = 0;
        }
        case ')' -> {
          last = sum + 2;
          sum = last + (outer.isEmpty() ? 0 : outer.pop());
        }
        case '{' -> {
          long times = times(text, at);
          sum = capped(sum + last * Math.max(0, times - 1));
          last = capped(last * Math.max(1, times));
          at = times < 0 ? at : text.indexOf('}', at);
        }
        default -> {
          at = endOfAtom(text, at);
          last = 1;
          sum++;
        }
      }
    }
    while (!outer.isEmpty()) {
      sum += outer.pop();
    }
    return sum;
  }

  /** So that products do not overflow. */
  private static long capped(long size) {
    return Math.min(size, Integer.MAX_VALUE);
  }

  /** The larger number of {@code {n}}, {@code {n,}} or {@code {n,m}}; negative if it is none. */
  private static long times(String text, int brace) {
    int end = text.indexOf('}', brace);
    if (end < 0 || end - brace > 12) {
      return -1;
    }
    long most = -1;
    for (String number : text.substring(brace + 1, end).split(",", -1)) {
      if (!number.isEmpty()) {
        if (!number.chars().allMatch(c -> c >= '0' && c <= '9')) {
          return -1;
        }
        most = Math.max(most, Long.parseLong(number) + 1);
      }
    }
    return most;
  }

  /**
   * The last character of the element that starts here: an escape, a class in brackets, or one
   * character.
   */
  private static int endOfAtom(String text, int at) {
    if (text.charAt(at) == '\\') {
      boolean braces = at + 2 < text.length() && text.charAt(at + 2) == '{';
      boolean named = at + 1 < text.length() && "pPxu".indexOf(text.charAt(at + 1)) >= 0;
      int end = braces && named ? text.indexOf('}', at) : -1;
      return end < 0 ? at + 1 : end;
    }
    if (text.charAt(at) != '[') {
      return at;
    }
    int end = at + 1;
    if (end < text.length() && text.charAt(end) == '^') {
      end++;
    }
    for (int first = end; end < text.length(); end++) {
      if (text.charAt(end) == '\\') {
        end++;
      } else if (text.charAt(end) == ']' && end > first) {
        return end;
      }
    }
    return at;
  }
}
