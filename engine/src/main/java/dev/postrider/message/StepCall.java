package dev.postrider.message;

import dev.postrider.id.Id;

/**
 * A request of a workflow step. It is a delivery without a message.
 *
 * @param applicationId of the workflow
 * @param id time-ordered; stands where a delivery of a message has the id of the message
 * @param laneId the lane of the step, the same for all versions of the workflow
 */
public record StepCall(Id applicationId, Id id, Id laneId, StepOrigin origin) {}
