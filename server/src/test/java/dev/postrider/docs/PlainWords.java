package dev.postrider.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words and phrases that documents, messages and comments do not use, with what to write instead.
 */
enum PlainWords {
  ANEW("anew", "again, from scratch"),
  WHOEVER("whoever", "the caller, the client, the operator"),
  TOLD("told", "notified, reported"),
  MEND("mend(?:s|ed|ing)?", "fix"),
  AWAY("(?:is|are|was|were) away", "unreachable, unavailable"),
  FOR_GOOD("for good", "permanently"),
  BEHIND_A_BACK("behind \\w+(?:'s)?(?: \\w+(?:'s)?)? backs?", "asynchronously"),
  DOOR("doors?", "source, URL"),
  SOMEBODY("somebody", "the caller, the client, the operator"),
  TORMENT("torment(?:s|ed|ing)?", "test"),
  LAST_WORDS("last words", "the last lines of the log"),
  TRIES("tries(?! (?:to|again|it|the|each|every|all|at)\\b)", "attempts"),
  IS_NO(
      "(?<!\\bthere )(?:is|are|was|were) no (?!longer\\b|more\\b|fewer\\b|less\\b|later\\b|other\\b)"
          + "\\w+",
      "is not a");

  private final Pattern pattern;
  private final String instead;

  PlainWords(String regex, String instead) {
    this.pattern = Pattern.compile("\\b" + regex + "\\b", Pattern.CASE_INSENSITIVE);
    this.instead = instead;
  }

  /** Every use in a text, each with a better wording. */
  static List<String> uses(String text) {
    List<String> found = new ArrayList<>();
    for (PlainWords word : values()) {
      Matcher use = word.pattern.matcher(text);
      while (use.find()) {
        found.add("\"" + use.group() + "\" (write: " + word.instead + ")");
      }
    }
    return found;
  }
}
