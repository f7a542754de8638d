/**
 * The HTTP API. It is divided into areas ({@link dev.postrider.api.http.ApiArea}). An area builds
 * its calls, one class per resource, from the services that it needs, and registers their routes:
 * path, scope, attributes. {@code docs/reference/routes.md} lists all routes. {@link
 * dev.postrider.api.http.Dispatcher} finds the route of a request, checks the caller and runs the
 * call. An error becomes one of two bodies, {@code {code, detail}} or, for values that do not fit,
 * {@code {detail: [{loc, msg, type}]}}; never a stack trace.
 */
@NullMarked
package dev.postrider.api;

import org.jspecify.annotations.NullMarked;
