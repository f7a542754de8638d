package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What a run is, apart from its history: fixed when it was accepted.
 *
 * @param key of the start; null for none
 * @param message id, type, event_id and application, if a message started it; otherwise null
 * @param child whether it has a parent
 * @param deadlineMs that its parent sets; null for none
 * @param depth of parents above it
 * @param causation how many messages of send steps, each starting a run, led to it
 */
public record RunContext(
    Id applicationId,
    Id runId,
    @Nullable String key,
    @Nullable JsonValue message,
    boolean child,
    @Nullable Long deadlineMs,
    int depth,
    int causation) {

  /** Parents above a run, and messages of send steps before it. */
  public static final int MAX_DEPTH = 20;
}
