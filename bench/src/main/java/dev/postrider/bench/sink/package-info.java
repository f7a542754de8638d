/**
 * The receiver of webhooks in the benchmark, called the sink: one thread, one selector and no
 * framework, so that it uses as little as possible of the CPU cores that it shares with the
 * measured server. The first segment of the path selects the response.
 */
@NullMarked
package dev.postrider.bench.sink;

import org.jspecify.annotations.NullMarked;
