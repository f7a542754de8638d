package dev.postrider.delivery.http;

import dev.postrider.delivery.http.address.BlockedAddress;
import dev.postrider.delivery.http.address.LookupsExhausted;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Converts exceptions that a request threw to outcomes. */
final class Failures {
  private static final int MAX_DETAIL = 300;

  /** As the HTTP client lists them: {@code [name/10.0.0.1, name/10.0.0.2]}. */
  private static final Pattern ADDRESSES =
      Pattern.compile(" \\[[^\\[\\]]*/[0-9a-fA-F.:%]+[^\\[\\]]*]");

  private Failures() {}

  static HttpResult outcomeOf(Exception failure) {
    return switch (failure) {
      case BlockedAddress blocked -> new HttpResult.Blocked(detail(blocked));
      case ProxyFault proxy -> new HttpResult.ProxyUnavailable(detail(proxy), proxy.connected());
      case LookupsExhausted exhausted -> new HttpResult.OurFault(detail(exhausted));
      case UnknownHostException unknown -> new HttpResult.NetworkError(detail(unknown));
      case SSLException tls -> new HttpResult.TlsError(detail(tls));
      case SocketTimeoutException late -> new HttpResult.TimedOut(detail(late));
      case NoFirstByte broken when broken.getCause() instanceof SSLException tls ->
          new HttpResult.TlsError(detail(tls));
      case IOException broken when isExhaustion(broken) -> new HttpResult.OurFault(detail(broken));
      default -> new HttpResult.NetworkError(detail(failure));
    };
  }

  /**
   * Messages of the operating system when this process, not the endpoint, has run out of a
   * resource.
   */
  private static boolean isExhaustion(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("Too many open files")
        || message.contains("Cannot assign requested address")
        || message.contains("No buffer space")
        || message.contains("Cannot allocate memory");
  }

  /** Without the addresses that a name resolved to: they may be those of an internal network. */
  static String detail(Throwable failure) {
    String message = failure.getMessage();
    String text =
        message == null || message.isBlank()
            ? failure.getClass().getSimpleName()
            : ADDRESSES.matcher(message).replaceAll("");
    StringBuilder printable = new StringBuilder(Math.min(text.length(), MAX_DETAIL));
    for (int i = 0; i < text.length() && i < MAX_DETAIL; i++) {
      char c = text.charAt(i);
      printable.append(Character.isISOControl(c) || Character.isSurrogate(c) ? ' ' : c);
    }
    return printable.toString();
  }
}
