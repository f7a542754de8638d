/**
 * The benchmark, {@code postrider bench}: measures the packaged server from the outside. Server,
 * database, receiver, load generator and raw client are separate processes, so that the CPU of each
 * can be measured. The process of the command starts them, reads their counts over their standard
 * input and output, and writes the report.
 */
@NullMarked
package dev.postrider.bench;

import org.jspecify.annotations.NullMarked;
