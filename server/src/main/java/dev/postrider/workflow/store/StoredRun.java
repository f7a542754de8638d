package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.workflow.machine.RunState;
import org.jspecify.annotations.Nullable;

/**
 * A run as the next transition needs it.
 *
 * @param versionId null until it is started
 * @param revision which the next transition replaces
 * @param key of its start; null for none
 * @param causation how many messages of send steps, each starting a run, led to it
 * @param input until it is started; then it is in the history
 * @param emptied whether retention has deleted its history
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared
public record StoredRun(
    RunRef ref,
    Id workflowId,
    @Nullable Id versionId,
    int revision,
    RunState state,
    @Nullable String key,
    int causation,
    RunOrigin origin,
    byte @Nullable [] input,
    boolean emptied) {

  /** After a transition. */
  public StoredRun with(Id version, RunState after) {
    return new StoredRun(
        ref, workflowId, version, revision + 1, after, key, causation, origin, null, emptied);
  }

  /** After a transition that changed nothing but the time of the next one. */
  public StoredRun withNextRevision() {
    return new StoredRun(
        ref, workflowId, versionId, revision + 1, state, key, causation, origin, input, emptied);
  }
}
