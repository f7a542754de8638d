package dev.postrider.config;

import dev.postrider.net.Cidr;
import java.util.regex.Pattern;

/** Checks the syntax of one target that is called without the egress proxy. */
final class NoProxy {
  private static final String FORM =
      "a host, a domain with a dot in front (.internal), or " + Cidr.FORM;
  private static final Pattern HOST =
      Pattern.compile("\\.?[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63})*");
  private static final Pattern NUMERIC = Pattern.compile("[0-9.]+|.*[:/].*");

  private NoProxy() {}

  static ValueType<String> type() {
    return Types.explained(FORM, text -> text, NoProxy::check);
  }

  private static void check(String text) {
    if (NUMERIC.matcher(text).matches()) {
      Cidr.parse(text);
    } else if (!HOST.matcher(text).matches()) {
      throw new IllegalArgumentException("\"%s\" must be %s.".formatted(text, FORM));
    }
  }
}
