/**
 * Accepting messages: group commit, idempotency, fan-out.
 *
 * <p>A caller's thread looks the application's routing up in memory, matches the message against
 * its endpoints and makes all ids; then it joins the batch that is forming and waits. One writer
 * turns the batch into one commit. The statement inserts a message only if the application's
 * routing version is still the one that the caller saw, so a stale cache can never miss an
 * endpoint: such a caller reloads and joins the next batch (docs/adr/0003).
 */
@NullMarked
package dev.postrider.message;

import org.jspecify.annotations.NullMarked;
