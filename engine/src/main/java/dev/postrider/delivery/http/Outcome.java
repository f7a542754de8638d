package dev.postrider.delivery.http;

import org.jspecify.annotations.Nullable;

/** The end of one try. Whatever an endpoint does is one of these; nothing is thrown. */
public sealed interface Outcome {

  OutcomeClass outcomeClass();

  /**
   * The endpoint answered.
   *
   * @param body the first bytes of the answer, as they came
   * @param truncated whether the answer was longer than what was kept
   * @param retryAfter the text of a {@code Retry-After} header
   * @param control the text of a {@code webhook-delivery} header
   * @param sentTwice whether the request went out before on a kept connection that was closed
   *     without an answer; the endpoint may have read that one too
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
  record Answered(
      int status,
      byte[] body,
      boolean truncated,
      @Nullable String retryAfter,
      @Nullable String control,
      boolean sentTwice)
      implements Outcome {

    @Override
    public OutcomeClass outcomeClass() {
      return status >= 200 && status < 300 ? OutcomeClass.SUCCESS : OutcomeClass.HTTP;
    }
  }

  /** No complete answer within the deadline, or no connection within the connect timeout. */
  record TimedOut(String detail) implements Outcome {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.TIMEOUT;
    }
  }

  /** No such name, no connection, a connection that broke, or bytes that are not HTTP. */
  record NetworkError(String detail) implements Outcome {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.NETWORK;
    }
  }

  /** No trusted, matching certificate, or no common TLS version. */
  record TlsError(String detail) implements Outcome {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.TLS;
    }
  }

  /** The address guard refused; nothing was sent. */
  record Blocked(String detail) implements Outcome {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.BLOCKED;
    }
  }

  /**
   * The egress proxy cannot be reached, or does not let us in: nothing was sent, and the endpoint
   * was not asked.
   *
   * @param connected whether there was a connection to the proxy
   */
  record ProxyUnavailable(String detail, boolean connected) implements Outcome {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.UNKNOWN;
    }
  }

  /**
   * Our own bug or exhaustion: says nothing about the endpoint, so it must not count against it.
   */
  record OurFault(String detail) implements Outcome {
    @Override
    public OutcomeClass outcomeClass() {
      return OutcomeClass.UNKNOWN;
    }
  }
}
