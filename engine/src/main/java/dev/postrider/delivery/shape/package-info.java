/**
 * Filters, transforms, agent routes and forwarded headers: what is sent instead of the message as
 * it was accepted.
 *
 * <p>The sender calls {@link dev.postrider.delivery.shape.Shaper} before the first attempt, only
 * for endpoints that have something of this kind, or whose application has agent routes. {@link
 * dev.postrider.delivery.shape.Shaping} evaluates the expressions and knows no database, so a dry
 * run gives the same result. The body and the {@link dev.postrider.delivery.shape.Shape} (path,
 * method, headers) are then stored in the row of the delivery, fenced by its lease, and every retry
 * sends the same bytes, even if the transform was changed since. That is why such a delivery has a
 * row from the start.
 *
 * <p>A false filter cancels the delivery. A failing expression makes it a dead letter with the
 * error as its detail, unless the endpoint sends the original then. Both end it without an attempt.
 * Expressions run on the threads of {@code evaluation}, which applications share; without a free
 * one the delivery is released for a second.
 */
@NullMarked
package dev.postrider.delivery.shape;

import org.jspecify.annotations.NullMarked;
