/**
 * Which addresses may be contacted. {@code Target} checks the text of a URL; {@code AddressGuard}
 * is the resolver of the HTTP client, so it sees each address of each new connection; {@code
 * NameLookup} limits how many lookups run at once and how long one takes.
 */
@NullMarked
package dev.postrider.delivery.http.address;

import org.jspecify.annotations.NullMarked;
