/**
 * The event bus of an engine.
 *
 * <p>Each capability declares its own events, as records that implement {@link
 * dev.postrider.event.Event}. An event is published within the transaction of the change, for
 * listeners that write in the same transaction (operational webhooks), or after the commit, for
 * listeners that update caches, wake loops or notify other instances; an event whose comment says
 * so is published at both times. {@link dev.postrider.event.EngineEvents} is the bus; a publisher
 * sees only {@link dev.postrider.event.EventPublisher}. When several changes share a transaction,
 * {@link dev.postrider.event.DeferredEvents} keeps the second half until the commit.
 *
 * <p>Two things are not events. A call that needs an answer is an interface of its own ({@code
 * HandOver}, {@code Disabler}). And what happens for every single delivery is reported by method
 * calls, to {@code delivery.DeliveryListener}, so that no object is created for it. ADR 18 has the
 * reasons.
 */
@NullMarked
package dev.postrider.event;

import org.jspecify.annotations.NullMarked;
