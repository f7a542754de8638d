/** An API server without deliveries, and calls of it. */
@NullMarked
package dev.postrider.testkit.api;

import org.jspecify.annotations.NullMarked;
