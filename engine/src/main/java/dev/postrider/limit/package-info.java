/**
 * Fair shares of limited resources, and rate limits. This package does not depend on what is
 * limited.
 *
 * <p>{@code Gcra} is the arithmetic of all throttles: one timestamp for each, which is in the row
 * of a lane where the limit holds exactly over all instances, and in memory in {@code RateLimiter}.
 * {@code DividedRate} and {@code SendRate} divide a limit by the number of instances instead of
 * coordinating. {@code Share} is how much of a resource one application may hold (docs/adr/0015).
 */
@NullMarked
package dev.postrider.limit;

import org.jspecify.annotations.NullMarked;
