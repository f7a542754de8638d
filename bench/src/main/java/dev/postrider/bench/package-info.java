/**
 * {@code postrider bench}: measures the packaged server from the outside. Server, database, sink,
 * loader and raw client are processes of their own, so that the CPU of each can be measured
 * separately; this process only starts them, asks them for their counts over their standard input
 * and output, and writes the report.
 */
@NullMarked
package dev.postrider.bench;

import org.jspecify.annotations.NullMarked;
