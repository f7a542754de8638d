package dev.postrider.inbound;

import dev.postrider.inbound.request.Headers;
import java.io.IOException;
import java.util.OptionalLong;

/** A request to a source whose body has not been read yet. */
public interface RawRequest {

  /** In upper case. */
  String method();

  /** The whole public URL with its query. */
  String url();

  Headers headers();

  /** Where the connection comes from. */
  String peer();

  OptionalLong announcedLength();

  /** Reads the body, at most this many bytes. */
  byte[] body(long maxBytes) throws IOException, TooLong;

  /** Thrown when the body is larger than allowed; the rest of it was not read. */
  final class TooLong extends Exception {
    private static final long serialVersionUID = 1;

    public TooLong() {
      super("the request body is too large", null, false, false);
    }
  }
}
