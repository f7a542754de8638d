/**
 * The caller: one thread and one selector over many connections. Closed loop (the next request when
 * the answer is there) or open loop (a fixed rate, latency counted from the time at which the
 * request was due).
 */
@NullMarked
package dev.postrider.bench.load;

import org.jspecify.annotations.NullMarked;
