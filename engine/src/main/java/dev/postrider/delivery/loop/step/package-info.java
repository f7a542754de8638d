/**
 * Sends requests of workflow steps with the lanes, leases and limits of deliveries. The owner of
 * the steps runs the transactions ({@link dev.postrider.message.StepCalls}): the end of a lease,
 * what follows from its answer and the leases of the next requests are one commit.
 */
@NullMarked
package dev.postrider.delivery.loop.step;

import org.jspecify.annotations.NullMarked;
