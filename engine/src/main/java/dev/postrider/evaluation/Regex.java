package dev.postrider.evaluation;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/**
 * A regular expression that runs in linear time. Must be used within an evaluation: it checks the
 * {@link Budget} while it reads.
 */
public final class Regex {
  /**
   * Maximum number of instructions of a compiled expression; each costs time for every character.
   */
  static final int MAX_SIZE = 10_000;

  private static final int MAX_SHOWN = 200;

  private final Pattern pattern;

  private Regex(Pattern pattern) {
    this.pattern = pattern;
  }

  public static Regex compile(String text) {
    return compile(text, false, false);
  }

  /**
   * @throws InvalidRegex with the expression and its unsupported part
   */
  public static Regex compile(String text, boolean ignoreCase, boolean multiline) {
    if (RegexText.size(text) > MAX_SIZE) {
      throw new InvalidRegex(shown(text), "nested repetitions multiply to more than " + MAX_SIZE);
    }
    try {
      int flags = (ignoreCase ? Pattern.CASE_INSENSITIVE : 0) | (multiline ? Pattern.MULTILINE : 0);
      return new Regex(Pattern.compile(RegexText.translate(text), flags));
    } catch (PatternSyntaxException e) {
      throw new InvalidRegex(shown(text), e.getDescription() + " " + e.getPattern());
    } catch (StackOverflowError e) {
      throw new InvalidRegex(shown(text), "groups are nested too deeply");
    }
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }

  public boolean isFoundIn(String text) {
    return matcher(text).find();
  }

  public Matcher matcher(String text) {
    return pattern.matcher(new Watched(text, Budget.current()));
  }

  /** A text that checks the {@link Budget} at intervals while the regular expression reads it. */
  private static final class Watched implements CharSequence {
    private static final int EVERY = 32;
    private final CharSequence text;
    private final Budget budget;
    private int reads;

    Watched(CharSequence text, Budget budget) {
      this.text = text;
      this.budget = budget;
    }

    @Override
    public char charAt(int index) {
      if (++reads % EVERY == 0) {
        budget.check();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
