/**
 * The policies after an attempt, as pure functions of (now, row, configuration). {@link
 * dev.postrider.delivery.policy.Verdict} combines them for the transaction that records a failure:
 * the retry schedule ({@code delivery.RetryPolicy}), circuit breaker ({@code Breaker}), lower
 * concurrency after 429, 502 and 504 ({@code Pace}), {@code Retry-After}. {@code AutoDisable}
 * disables an endpoint that fails for days, and {@code Gate} is the answer to the claimer: may this
 * lane send now?
 *
 * <p>Nothing here reads a clock, a database or a random number: callers pass them, and the tests
 * are tables. A policy that changes nothing returns the {@link
 * dev.postrider.delivery.policy.LaneState} that it was given, so that {@code after != before} means
 * that the row of the lane is to be written.
 */
@NullMarked
package dev.postrider.delivery.policy;

import org.jspecify.annotations.NullMarked;
