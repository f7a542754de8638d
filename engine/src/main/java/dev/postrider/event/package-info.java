/**
 * The event bus of an engine.
 *
 * <p>Each capability declares its own events, as records that implement {@link
 * dev.postrider.event.Event}. A store publishes an event twice: within the transaction of the
 * change, for listeners that write in the same transaction, and after the commit, for listeners
 * that update caches, wake loops or notify other instances. {@link
 * dev.postrider.event.EngineEvents} is the bus; who publishes sees only {@link
 * dev.postrider.event.EventPublisher}.
 *
 * <p>Two things are not events. A call that needs an answer is an interface of its own. And what
 * happens for every single delivery is reported by method calls, to {@code
 * delivery.DeliveryListener}, so that no object is created for it.
 */
@NullMarked
package dev.postrider.event;

import org.jspecify.annotations.NullMarked;
