package dev.postrider.eventtype;

import com.networknt.schema.regex.RegularExpression;
import dev.postrider.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A schema's pattern that gives up in time. Both the pattern and the text come from callers, and
 * some pairs of them would keep a thread busy for years.
 */
final class TimedPattern implements RegularExpression {
  static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Characters that are read between two looks at the time. */
  private static final int LOOK_EVERY = 1_024;

  private final Pattern pattern;
  private final TimeSource time;

  TimedPattern(String pattern, TimeSource time) {
    this.pattern = Pattern.compile(pattern, Pattern.UNICODE_CHARACTER_CLASS);
    this.time = time;
  }

  /** The time was up. */
  static final class TooSlow extends RuntimeException {
    TooSlow() {
      super("a pattern took too long", null, false, false);
    }
  }

  @Override
  public boolean matches(String value) {
    return pattern.matcher(new Watched(value, time)).find();
  }

  private static final class Watched implements CharSequence {
    private final String text;
    private final TimeSource time;
    private final long end;
    private int reads;

    Watched(String text, TimeSource time) {
      this.text = text;
      this.time = time;
      this.end = time.nanos() + LIMIT_NANOS;
    }

    @Override
    public char charAt(int index) {
      reads++;
      if (reads % LOOK_EVERY == 0 && time.nanos() - end > 0) {
        throw new TooSlow();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
