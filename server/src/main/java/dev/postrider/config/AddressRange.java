package dev.postrider.config;

import java.net.InetAddress;
import java.util.regex.Pattern;

/** Checks the spelling of an address or CIDR; deciding by it is the address guard's work. */
final class AddressRange {
  static final String FORM = "an IP address or CIDR (10.0.0.0/8, 127.0.0.1, fd00::/8)";

  /**
   * Only the four-part decimal form: 010.1 or 0x7f.1 means different things to different readers.
   */
  private static final Pattern IPV4 =
      Pattern.compile(
          "((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\.){3}(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)");

  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
  private static final Pattern PREFIX = Pattern.compile("0|[1-9]\\d{0,2}");

  private AddressRange() {}

  static void check(String text) {
    int slash = text.indexOf('/');
    byte[] address = address(text, slash < 0 ? text : text.substring(0, slash));
    if (slash >= 0) {
      checkPrefix(text, address, text.substring(slash + 1));
    }
  }

  private static byte[] address(String text, String address) {
    if (!IPV4.matcher(address).matches() && !IPV6.matcher(address).matches()) {
      throw refused(text);
    }
    try {
      return InetAddress.ofLiteral(address).getAddress();
    } catch (IllegalArgumentException e) {
      throw refused(text);
    }
  }

  private static void checkPrefix(String text, byte[] address, String prefix) {
    int bits = address.length * 8;
    if (!PREFIX.matcher(prefix).matches() || Integer.parseInt(prefix) > bits) {
      throw refused(text);
    }
    for (int bit = Integer.parseInt(prefix); bit < bits; bit++) {
      if ((address[bit / 8] & (0x80 >> (bit % 8))) != 0) {
        throw new IllegalArgumentException(
            "\""
                + text
                + "\" has address bits after its first "
                + prefix
                + ": write the first address of the range, or drop the /"
                + prefix
                + " to mean one address.");
      }
    }
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException("\"" + text + "\" must be " + FORM + ".");
  }

  static ValueType<String> type() {
    return Types.explained(FORM, text -> text, AddressRange::check);
  }
}
