/**
 * Operational webhooks: the server notifies its operator of changes of endpoints and deliveries.
 *
 * <p>They are ordinary messages of an application that each environment has for this purpose, in an
 * environment of its own that no caller can name; so they are stored, signed, retried, throttled
 * and pruned like all others. An event is written in the transaction that it reports, so neither
 * exists without the other. Nothing is written without a subscribed endpoint, and nothing about the
 * operational endpoints themselves. Successful deliveries report nothing and cost nothing.
 */
@NullMarked
package dev.postrider.operational;

import org.jspecify.annotations.NullMarked;
