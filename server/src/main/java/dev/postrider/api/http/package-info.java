/**
 * From the bytes of a request to the handler of its route: transport checks, router, credentials
 * and scopes, idempotent calls, errors. {@link dev.postrider.api.http.Dispatcher} is the order of
 * the steps.
 */
@NullMarked
package dev.postrider.api.http;

import org.jspecify.annotations.NullMarked;
