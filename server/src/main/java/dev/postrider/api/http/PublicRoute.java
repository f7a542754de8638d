package dev.postrider.api.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A public path in addition to the API, such as metrics or the echo receiver.
 *
 * @param onWorkers whether an instance with the role worker serves it too
 */
public record PublicRoute(String method, String path, boolean onWorkers, Handler handler) {

  /** The request as a handler sees it. */
  public interface Request {
    /** The header's first value, or an empty text. */
    String header(String name);

    byte[] body();
  }

  /** The response. */
  public record Answer(int status, @Nullable String contentType, byte[] body) {
    public static Answer of(int status, String contentType, byte[] body) {
      return new Answer(status, contentType, body);
    }

    /** An error; its texts need no escaping in JSON. */
    public static Answer refusal(int status, String code, String detail) {
      return of(
          status,
          "application/json",
          "{\"code\":\"%s\",\"detail\":\"%s\"}"
              .formatted(code, detail)
              .getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Handles a request. */
  @FunctionalInterface
  public interface Handler {
    Answer answer(Request request);
  }
}
