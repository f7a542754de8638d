package dev.postrider.bench.crash;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A payload that is derived from the number of its message, so that changed bytes are detected. */
final class Payload {
  private static final Pattern FORM = Pattern.compile("\\{\"number\":(\\d+),\"text\":\"[^\"]*\"}");
  private static final int MAX_REPEAT = 40;

  private Payload() {}

  static String of(long number) {
    return "{\"number\":%d,\"text\":\"%s\"}"
        .formatted(number, ("ä" + number + ".").repeat((int) (number % MAX_REPEAT)));
  }

  /** The number of a payload that arrived; any difference is a problem in the ledger. */
  static long number(String body, Ledger ledger) {
    Matcher matcher = FORM.matcher(body);
    long number = matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
    if (number < 0 || !body.equals(of(number))) {
      ledger.problem("the receiver got a body that the suite did not send: " + body);
    }
    return number;
  }
}
