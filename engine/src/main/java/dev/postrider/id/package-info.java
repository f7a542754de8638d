/**
 * Sixteen-byte ids that sort by time (engine rule 7). {@link dev.postrider.id.Ids} creates them:
 * the time in steps of 4 ms, then random bytes, never smaller than the one before it in this
 * process, even if the clock is set back. {@link dev.postrider.id.Id} is two {@code long}s and 16
 * bytes in a table; its text is the prefix of its {@link dev.postrider.id.IdKind} and 27 base62
 * characters with a checksum, so a mistyped id is not found instead of found wrongly.
 *
 * <p>Lists are pages by id, ranges of time are ranges of ids, and retention deletes by id. An id is
 * assigned before its commit, so a reader that must miss nothing stops at the {@code
 * CommitWatermark}.
 */
@NullMarked
package dev.postrider.id;

import org.jspecify.annotations.NullMarked;
