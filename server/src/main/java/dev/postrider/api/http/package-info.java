/**
 * The path of a request from its bytes to the handler of its route: transport checks, router,
 * credentials and scopes, idempotent calls, errors. {@link dev.postrider.api.http.Dispatcher} runs
 * the steps in order.
 */
@NullMarked
package dev.postrider.api.http;

import org.jspecify.annotations.NullMarked;
