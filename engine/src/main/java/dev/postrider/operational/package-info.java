/**
 * Operational webhooks: the server tells its operator what happens to endpoints and deliveries.
 *
 * <p>They are ordinary messages of an application that each environment has for this purpose, in an
 * environment of its own that no caller can name; so they are stored, signed, retried, throttled
 * and pruned like all others. An event is written in the transaction that it reports: there is
 * never one without the other. Nothing is written while nobody listens, and nothing about the
 * operational endpoints themselves. The happy path of a delivery reports nothing and asks nothing.
 */
@NullMarked
package dev.postrider.operational;

import org.jspecify.annotations.NullMarked;
