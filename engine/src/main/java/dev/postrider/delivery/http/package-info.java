/**
 * Outbound HTTP. A {@link Target} is parsed once; {@link HttpSender} makes one try and answers with
 * an {@link Outcome}, never an exception: what an endpoint does is data. A connection is opened
 * only to addresses that {@link AddressGuard} has vetted for that very connection, each try has one
 * total deadline, and an answer is read up to a fixed size and no further.
 *
 * <p>A connection goes back to the pool only after its deadline was disarmed, so that a late
 * deadline can never hit the next try on the same connection.
 */
@NullMarked
package dev.postrider.delivery.http;

import org.jspecify.annotations.NullMarked;
