/**
 * Decides which IP addresses deliveries may be sent to. {@code Target} checks the text of a URL;
 * {@code AddressGuard} is the resolver of the HTTP client, so it checks each address of each new
 * connection, and a name that resolves to another address later is checked again; {@code
 * NameLookup} limits how many DNS lookups run at once and how long one takes.
 */
@NullMarked
package dev.postrider.delivery.http.address;

import org.jspecify.annotations.NullMarked;
