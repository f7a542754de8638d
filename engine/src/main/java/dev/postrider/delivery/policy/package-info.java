/**
 * The policies after an attempt, as pure functions of (now, row, configuration) that are combined
 * in {@link dev.postrider.delivery.policy.Verdict}: retry schedule, circuit breaker, reduced
 * concurrency after 429, automatic disabling. Nothing here reads a clock or a database.
 */
@NullMarked
package dev.postrider.delivery.policy;

import org.jspecify.annotations.NullMarked;
