/**
 * The audit log: who deleted, rotated or resent what. An entry is written in the transaction of the
 * action itself, so that neither exists without the other, and is never changed; entries are
 * deleted after their retention.
 *
 * <p>The actor is known where a call arrives and needed where a store writes. It is passed as a
 * scoped value; a store reads it before its transaction, which may run on another thread.
 */
@NullMarked
package dev.postrider.audit;

import org.jspecify.annotations.NullMarked;
