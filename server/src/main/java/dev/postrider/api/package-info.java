/**
 * The HTTP door. {@link dev.postrider.api.Routes} is every path on one screen; a handler per
 * resource turns a request into calls of the capabilities and streams the answer. Whatever goes
 * wrong becomes one of two bodies, {@code {code, detail}} or, for values that do not fit, {@code
 * {detail: [{loc, msg, type}]}}; never a stack trace.
 */
@NullMarked
package dev.postrider.api;

import org.jspecify.annotations.NullMarked;
