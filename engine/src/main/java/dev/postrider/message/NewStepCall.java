package dev.postrider.message;

import org.jspecify.annotations.Nullable;

/**
 * A request of a step that is to be sent.
 *
 * @param body the bytes, as the history has them
 * @param shape path and headers that were computed, see {@link StepShape#encode}; null for none
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared
public record NewStepCall(StepCall call, byte[] body, @Nullable String shape, Limits limits) {

  /**
   * What the lane of the step allows.
   *
   * @param throttled whether its rate is limited: then it is not leased at insert
   * @param maxInFlight concurrent requests; null for the limit of the server
   */
  public record Limits(boolean throttled, @Nullable Integer maxInFlight) {
    public static final Limits NONE = new Limits(false, null);
  }
}
