/**
 * A delivery is one message on its way to one exit, and its row is the queue item. An instance
 * claims it (a fenced lease), sends it, and finishes it with an attempt; {@link
 * dev.postrider.delivery.Transitions} is the whole life of the row.
 *
 * <p>What follows from a try is decided by pure functions of (now, row, config) that meet in {@link
 * dev.postrider.delivery.Verdict}: the retry schedule, the circuit breaker, the pace of the lane.
 * They read no clock and no database, so the loops around them only orchestrate.
 */
@NullMarked
package dev.postrider.delivery;

import org.jspecify.annotations.NullMarked;
