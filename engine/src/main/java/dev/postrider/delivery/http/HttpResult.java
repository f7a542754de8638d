package dev.postrider.delivery.http;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of one attempt. All behavior of endpoints maps to one of these; nothing is thrown.
 */
public sealed interface HttpResult {

  OutcomeClass outcomeClass();

  /** Why there was no response; null if there was one. */
  @Nullable String detail();

  /**
   * The endpoint responded.
   *
   * @param body the first bytes of the response
   * @param truncated whether the response was longer than body, or may have been
   * @param retryAfter the text of a {@code Retry-After} header
   * @param control the text of a {@code webhook-delivery} header, or of the one in {@link
   *     SenderSettings.AnswerRules}
   * @param sentTwice whether the request was sent before on a kept connection that was closed
   *     without a response; the endpoint may have read that one too
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
  record Answered(
      int status,
      byte[] body,
      boolean truncated,
      @Nullable String retryAfter,
      @Nullable String control,
      boolean sentTwice)
      implements HttpResult {

    @Override
    public @Nullable String detail() {
      return null;
    }

    @Override
    public OutcomeClass outcomeClass() {
      return status >= 200 && status < 300 ? OutcomeClass.SUCCESS : OutcomeClass.HTTP;
    }
  }

  /** No complete response within the deadline, or no connection within the connect timeout. */
  record TimedOut(String detail) implements HttpResult {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.TIMEOUT;
    }
  }

  /** Unknown name, no connection, a broken connection, or a response that is not HTTP. */
  record NetworkError(String detail) implements HttpResult {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.NETWORK;
    }
  }

  /** No trusted, matching certificate, or no common TLS version. */
  record TlsError(String detail) implements HttpResult {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.TLS;
    }
  }

  /** The address guard rejected the target; nothing was sent. */
  record Blocked(String detail) implements HttpResult {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.BLOCKED;
    }
  }

  /**
   * The egress proxy is unreachable, or rejected our login: nothing was sent to the endpoint.
   *
   * @param connected whether there was a connection to the proxy
   */
  record ProxyUnavailable(String detail, boolean connected) implements HttpResult {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.UNKNOWN;
    }
  }

  /**
   * Our own bug or lack of resources: indicates nothing about the endpoint, so it must not count
   * against it.
   */
  record OurFault(String detail) implements HttpResult {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.UNKNOWN;
    }
  }
}
