/**
 * The receiver: one thread, one selector, no framework, so that it takes as little as possible of
 * the cores that it shares with what is measured. The first segment of the path says how a request
 * is answered.
 */
@NullMarked
package dev.postrider.bench.sink;

import org.jspecify.annotations.NullMarked;
