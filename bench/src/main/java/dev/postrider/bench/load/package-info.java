/**
 * The load generator: one thread and one selector over many connections. In a closed loop, a
 * connection sends the next request after the response to the last one; in an open loop, requests
 * are sent at a fixed rate, and latency is measured from the time at which a request was scheduled.
 */
@NullMarked
package dev.postrider.bench.load;

import org.jspecify.annotations.NullMarked;
