package dev.postrider.workflow.machine;

import org.jspecify.annotations.Nullable;

/**
 * Why a run does not take a request.
 *
 * @param step the first step from which a compensated run can be redriven; null for others
 */
public record Refusal(Reason reason, @Nullable String step) {
  public enum Reason {
    /** It has ended. */
    RUN_ENDED,
    /** It ends: steps are compensated. */
    RUN_ENDING,
    /** It has not ended. */
    RUN_LIVE,
    /** It is paused already, or it is not paused. */
    UNCHANGED,
    /** The main list has no step of this name. */
    UNKNOWN_STEP,
    /** Steps after it were compensated. */
    COMPENSATED,
    /** It completed, so that there is no failed step to continue with. */
    NOT_FAILED
  }
}
