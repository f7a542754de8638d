/**
 * Statistics that are counted as events happen, never computed by scans.
 *
 * <p>{@link dev.postrider.statistics.Counters} sums in memory what this instance accepts and
 * finishes, per application, lane and minute. Once a minute the sums are appended to the table
 * {@code counters} as rows of this instance alone, so that no row is ever contended, and under a
 * part number, so that a write whose answer was lost can be repeated. A crash loses at most what
 * was not yet written; no decision depends on these numbers (engine rule 36). {@link
 * dev.postrider.statistics.StatisticsReader} adds what is still in memory to what is stored. The
 * pruner sums minutes up to hours and deletes hours past their retention.
 */
@NullMarked
package dev.postrider.statistics;

import org.jspecify.annotations.NullMarked;
