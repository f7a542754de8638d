/**
 * Deliveries without a row. A delivery that is leased at insert gets no row: its message names its
 * lane ({@code messages.targets}), a lease batch names message and lane while it is leased, and its
 * first attempt says how it ended:
 *
 * <ul>
 *   <li>no first attempt: it is being sent
 *   <li>the first attempt was successful: it is delivered
 *   <li>anything else: the attempt was written together with a row, and the row says the status
 * </ul>
 *
 * <p>Its id is that of the first fan-out ({@code DeliveryIds.of(message, lane, Id.ZERO)}), and it
 * was created with its message. Readers of several of these tables use one snapshot, or read what
 * names the delivery first, then the attempts, then the rows: each delivery is then seen in exactly
 * one of its states.
 */
@NullMarked
package dev.postrider.delivery.rowless;

import org.jspecify.annotations.NullMarked;
