/**
 * The path of a request from its head to the handler of its route. {@link
 * dev.postrider.api.http.Dispatcher} runs the steps in order: request id, route ({@code Router}),
 * credentials, rate limit ({@code ManagementRate}), {@code Scope} and {@code PortalRules},
 * idempotency key ({@code IdempotentCalls}), handler, and the conversion of exceptions to error
 * responses ({@code Errors}). {@code http.connection} has the bytes before that.
 *
 * <p>An area of the API is an {@link dev.postrider.api.http.ApiArea}: it registers its routes with
 * their scope and {@code RouteAttribute}s. A {@link dev.postrider.api.http.Call} is one request
 * with its response; it stays on the thread of its connection.
 */
@NullMarked
package dev.postrider.api.http;

import org.jspecify.annotations.NullMarked;
