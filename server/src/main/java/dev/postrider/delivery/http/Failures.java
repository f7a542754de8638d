package dev.postrider.delivery.http;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;

/** Sorts what can go wrong on the way to an answer into outcomes. */
final class Failures {
  private static final int MAX_DETAIL = 300;

  private Failures() {}

  static Outcome outcomeOf(Exception failure) {
    return switch (failure) {
      case BlockedAddress blocked -> new Outcome.Blocked(detail(blocked));
      case ProxyFault proxy -> new Outcome.ProxyAway(detail(proxy), proxy.connected());
      case LookupsExhausted exhausted -> new Outcome.OurFault(detail(exhausted));
      case UnknownHostException unknown -> new Outcome.NetworkError(detail(unknown));
      case SSLException tls -> new Outcome.TlsError(detail(tls));
      case SocketTimeoutException late -> new Outcome.TimedOut(detail(late));
      case NoFirstByte broken when broken.getCause() instanceof SSLException tls ->
          new Outcome.TlsError(detail(tls));
      case IOException broken when isExhaustion(broken) -> new Outcome.OurFault(detail(broken));
      default -> new Outcome.NetworkError(detail(failure));
    };
  }

  /** What the system says when this process, not the endpoint, has run out of something. */
  private static boolean isExhaustion(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("Too many open files")
        || message.contains("Cannot assign requested address")
        || message.contains("No buffer space")
        || message.contains("Cannot allocate memory");
  }

  static String detail(Throwable failure) {
    String message = failure.getMessage();
    String text =
        message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    StringBuilder printable = new StringBuilder(Math.min(text.length(), MAX_DETAIL));
    for (int i = 0; i < text.length() && i < MAX_DETAIL; i++) {
      char c = text.charAt(i);
      printable.append(Character.isISOControl(c) || Character.isSurrogate(c) ? ' ' : c);
    }
    return printable.toString();
  }
}
