package dev.postrider.workflow.machine;

import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.ErrorClass;
import org.jspecify.annotations.Nullable;

/**
 * The result of one try of the request of a step.
 *
 * @param status null without a response
 * @param body of the response, up to the limit of responses
 * @param truncated whether the response was longer
 * @param failedBefore failed attempts before this one; attempts whose outcome is unknown do not
 *     count
 * @param retryAfterMs as the response asked; null if it did not
 * @param error why there was no response; null if there was one
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared
public record Answer(
    Kind kind,
    @Nullable Integer status,
    byte[] body,
    boolean truncated,
    int failedBefore,
    @Nullable Long retryAfterMs,
    @Nullable String error) {

  public enum Kind {
    ANSWERED,
    TIMEOUT,
    /** No connection, or a broken one: it may have arrived. */
    NETWORK,
    /** It never left. */
    REJECTED
  }

  /** Whether the receiver did what was asked. */
  public boolean isSuccess() {
    return kind == Kind.ANSWERED && status != null && status >= 200 && status < 300;
  }

  /** Whether it is unknown what the receiver did. */
  public boolean isUnknown() {
    return kind == Kind.TIMEOUT || kind == Kind.NETWORK;
  }

  /** The class of its error; null if it has none. */
  public @Nullable ErrorClass errorClass() {
    return switch (kind) {
      case TIMEOUT -> ErrorClass.TIMEOUT;
      case NETWORK -> ErrorClass.NETWORK;
      case REJECTED -> ErrorClass.REJECTED;
      case ANSWERED -> {
        if (status == null || status < 200) {
          yield ErrorClass.NETWORK;
        }
        if (isSuccess()) {
          yield truncated ? ErrorClass.TOO_LARGE : null;
        }
        yield status < 500 ? ErrorClass.CLIENT : ErrorClass.SERVER;
      }
    };
  }

  /** JSON as it is, null if it is empty, otherwise a string. */
  public JsonValue result() {
    return JsonValue.ofBody(body);
  }
}
