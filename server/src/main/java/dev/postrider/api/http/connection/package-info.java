/**
 * HTTP/1.1 connections: Helidon accepts them, with TLS and their limits, and gives each a thread.
 *
 * <p>{@code HttpConnection} serves the requests of a connection one after the other. {@code
 * RequestInput} collects the bytes of a request head, up to {@code RequestLimits}, and {@code
 * RequestHead} checks them against RFC 9112. Where two parsers could disagree, such as on a length
 * given twice or a bare line feed, the request is refused, because a proxy in front may have read
 * another request from the same bytes. The body is then counted by its announced length or by its
 * chunks, so the next head begins where this request ends. After a refusal the connection is
 * closed. {@code HttpResponse} writes the response with its body at once. {@code HttpConnections}
 * closes connections whose clients send too slowly, and {@code MalformedRequests} limits what is
 * logged about all of this.
 */
@NullMarked
package dev.postrider.api.http.connection;

import org.jspecify.annotations.NullMarked;
