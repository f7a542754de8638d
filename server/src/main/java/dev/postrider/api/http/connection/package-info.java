/**
 * Connections before their requests are parsed. Helidon sees only what passed these checks.
 *
 * <p>{@code RequestInput} stands between the socket and Helidon. It collects the bytes of a request
 * head, up to {@code RequestLimits}, and {@code RequestHead} checks them against RFC 9112. Where
 * two parsers could disagree, such as on a length given twice or a bare line feed, the request is
 * refused, because a proxy in front may have read another request from the same bytes. The body is
 * then counted by its announced length or by its chunks, so the next head begins where this request
 * ends. After a refusal the connection is closed. {@code RequestTimeouts} closes connections whose
 * clients send too slowly, and {@code MalformedRequests} limits what is logged about all of this.
 */
@NullMarked
package dev.postrider.api.http.connection;

import org.jspecify.annotations.NullMarked;
