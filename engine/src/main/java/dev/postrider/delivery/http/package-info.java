/**
 * Outbound HTTP. A {@link Target} is parsed once; {@link HttpSender} performs one attempt and
 * returns an {@link HttpResult}, never an exception: the behavior of an endpoint is data. A
 * connection is opened only to addresses that {@link AddressGuard} has checked for that connection,
 * each attempt has one total deadline, and a response is read up to a fixed size.
 *
 * <p>A connection returns to the pool only after its deadline was disarmed, so that a late deadline
 * can never affect the next attempt on the same connection.
 */
@NullMarked
package dev.postrider.delivery.http;

import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.Target;
import org.jspecify.annotations.NullMarked;
