package dev.postrider.inbound;

import java.io.IOException;
import java.util.OptionalLong;

/** A request at the door, its body not read yet. */
public interface RawRequest {

  /** In upper case. */
  String method();

  /** The whole public URL with its query. */
  String url();

  Headers headers();

  /** Where the connection comes from. */
  String peer();

  OptionalLong announcedLength();

  /** Reads the body, never more than that. */
  byte[] body(long maxBytes) throws IOException, TooLong;

  /** The body is longer than allowed; the rest of it was not read. */
  final class TooLong extends Exception {
    private static final long serialVersionUID = 1;

    public TooLong() {
      super("the body is too long", null, false, false);
    }
  }
}
