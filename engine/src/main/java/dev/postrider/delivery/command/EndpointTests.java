package dev.postrider.delivery.command;

import dev.postrider.delivery.http.HttpResult;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request to an endpoint to show how it responds. Nothing is stored: there is no message,
 * delivery or attempt, no counter changes, and neither does the circuit breaker of the lane.
 */
public interface EndpointTests {
  /**
   * Sends the request and waits for the response; to be called on a virtual thread.
   *
   * @return what happened, never an exception because of the endpoint
   */
  Result send(Test test);

  /**
   * The message that is sent.
   *
   * @param source the uid of the application, which an expression sees
   * @param headers of the message, as a JSON object
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  record Test(
      ApplicationId applicationId,
      String source,
      EndpointId endpointId,
      String eventType,
      byte[] payload,
      @Nullable String headers) {}

  /**
   * The request as it was sent.
   *
   * @param headers with the values of custom ones masked
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  record Request(
      String url,
      String method,
      Map<String, String> headers,
      byte[] body,
      @Nullable String contentType) {}

  /** The result of a test. */
  sealed interface Result {
    /**
     * A request was sent, or rejected by the address guard.
     *
     * @param transformError why the transform failed, if the payload was sent without it
     */
    record Sent(Request request, HttpResult outcome, int latencyMs, @Nullable String transformError)
        implements Result {}

    /** The transform canceled it; nothing was sent. */
    record Canceled() implements Result {}

    /** The transform failed; nothing was sent. */
    record ExpressionError(String why) implements Result {}

    record NoSuchEndpoint() implements Result {}

    /** The test is not possible now; the caller may try again later. */
    record Unavailable(String why) implements Result {}
  }
}
