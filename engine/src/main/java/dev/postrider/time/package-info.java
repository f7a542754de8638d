/**
 * The one clock. Nothing outside this package reads the machine's time or sleeps, so tests set the
 * time and no test sleeps.
 *
 * <p>{@link dev.postrider.time.TimeSource} has two times. {@code nowMs} follows the clock of the
 * database, which each heartbeat measures, and decides when deliveries are due and leases end.
 * {@code nanos} is monotonic, cannot be set, and measures durations and whether an instance is
 * alive (engine rule 8).
 */
@NullMarked
package dev.postrider.time;

import org.jspecify.annotations.NullMarked;
