/** Builds an engine from its parts, and starts and stops them in order. */
@NullMarked
package dev.postrider.engine.wiring;

import org.jspecify.annotations.NullMarked;
