/**
 * Accepting messages: group commit, idempotency, fan-out.
 *
 * <p>The caller's thread looks up the application's routing in a cache, matches the message against
 * its endpoints and assigns all ids. Then it joins the batch that is forming and waits. One thread
 * writes the batch in one commit. The statement inserts a message only if the application's routing
 * version is still the one that the caller used, so a stale cache can never miss an endpoint: such
 * a caller reloads and joins the next batch (docs/adr/0003). What was leased at insert goes
 * straight to the sender.
 */
@NullMarked
package dev.postrider.delivery.accept;

import org.jspecify.annotations.NullMarked;
