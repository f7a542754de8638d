package dev.postrider.delivery.loop.step;

import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.loop.LaneUpdates;
import dev.postrider.message.StepAnswer;
import dev.postrider.message.StepCall;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How an attempt of a request ended. */
final class StepResult implements StepAnswer {
  private static final byte[] EMPTY = new byte[0];

  private final Outcome outcome;
  private final StepCall call;

  /** Of the transaction that has settled it; used by the thread of the owner only. */
  @Nullable LaneUpdates settledWith;

  StepResult(Outcome outcome) {
    this.outcome = outcome;
    this.call = Objects.requireNonNull(outcome.delivery().step()).call();
  }

  Outcome outcome() {
    return outcome;
  }

  Outcome.@Nullable Tried tried() {
    return outcome instanceof Outcome.Tried tried ? tried : null;
  }

  @Override
  public StepCall call() {
    return call;
  }

  @Override
  public Kind kind() {
    Outcome.Tried tried = tried();
    if (tried == null) {
      return Kind.REJECTED;
    }
    return switch (OutcomeClass.ofCode(tried.attempt().outcome())) {
      case SUCCESS, HTTP -> Kind.ANSWERED;
      case TIMEOUT -> Kind.TIMEOUT;
      case NETWORK, TLS, UNKNOWN, RETURNED, VOID -> Kind.NETWORK;
      case BLOCKED -> Kind.REJECTED;
    };
  }

  @Override
  public int failedBefore() {
    return outcome.delivery().failedBefore();
  }

  @Override
  public @Nullable Integer status() {
    Outcome.Tried tried = tried();
    return tried == null ? null : tried.attempt().statusCode();
  }

  @Override
  public byte[] body() {
    Outcome.Response response = response();
    return response == null ? EMPTY : response.body();
  }

  @Override
  public boolean truncated() {
    Outcome.Response response = response();
    return response != null && response.truncated();
  }

  private Outcome.@Nullable Response response() {
    Outcome.Tried tried = tried();
    return tried == null ? null : tried.response();
  }

  @Override
  public @Nullable Duration retryAfter() {
    Outcome.Tried tried = tried();
    return tried == null ? null : tried.retryAfter();
  }

  @Override
  public @Nullable String error() {
    return switch (outcome) {
      case Outcome.Tried tried -> tried.attempt().error();
      case Outcome.Untried untried ->
          switch (untried.reason()) {
            case SECRET_UNREADABLE -> "a secret of the step cannot be decrypted; set it again";
            case PAYLOAD_EXPIRED -> "the body of the request no longer exists";
            case ENDPOINT_DELETED -> "the step is not in this version of the workflow";
            case CORRUPT -> "the request failed with an internal error; see the log of the server";
            case EXHAUSTED,
                RESEND_FAILED,
                ENDPOINT_GONE,
                ENDPOINT_FAILING,
                EXPRESSION,
                FILTERED,
                TRANSFORM,
                ENDPOINT_DISABLED,
                QUEUE_DELETED,
                EXPIRED,
                EXPUNGED,
                CANCEL_REQUESTED ->
                untried.reason().text();
          };
      case Outcome.Released _ -> null;
    };
  }
}
