/**
 * A simple reference implementation that the benchmark compares the server with: one transaction
 * per accepted message, claims of ten deliveries with SKIP LOCKED, and one transaction per result,
 * with the same HTTP server and delivery client. Its backlog is bounded. It is deliberately not
 * optimized.
 */
@NullMarked
package dev.postrider.bench.naive;

import org.jspecify.annotations.NullMarked;
