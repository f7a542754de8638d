package dev.postrider.workflow.store;

import dev.postrider.id.Id;

/**
 * The key of a run.
 *
 * @param applicationId of its workflow
 */
public record RunRef(Id applicationId, Id runId) {}
