package dev.postrider.delivery.http;

import java.io.IOException;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a connection ended before the first byte of a response. On a kept connection this may
 * not be related to the request: an endpoint closes idle connections, possibly just before the
 * request.
 */
final class NoFirstByte extends IOException {
  private static final long serialVersionUID = 1;

  private final boolean sent;

  /**
   * @param sent whether the whole request had been written
   */
  NoFirstByte(IOException cause, boolean sent) {
    super(cause.getMessage(), cause);
    this.sent = sent;
  }

  boolean sent() {
    return sent;
  }

  /**
   * Whether the connection had probably ended before the request. An orderly close by an idle
   * endpoint is seen as the end of the stream, even if a reset follows. A bare reset after the
   * complete request was written is different: the endpoint may have read it.
   */
  boolean mayBeOlderThanRequest() {
    return !sent || !isReset(getCause());
  }

  private static boolean isReset(@Nullable Throwable failure) {
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketException
          && String.valueOf(cause.getMessage()).contains("reset")) {
        return true;
      }
    }
    return false;
  }
}
