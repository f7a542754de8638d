package dev.postrider.message;

import dev.postrider.id.Id;

/**
 * The step that a request belongs to.
 *
 * @param seq the row of the run's history with which this instance of the step began; its input is
 *     the body
 * @param epoch of the run when the request was scheduled: one of an older epoch is not sent
 * @param version the version of the workflow, in which {@code step} is the number of the step: its
 *     configuration is there
 */
public record StepOrigin(Id runId, int seq, int epoch, Id version, int step) {}
