/**
 * Child processes, and measurements from /proc. A child process executes one command per line of
 * its standard input, responds to each with one line of JSON, and exits when its input ends. So a
 * killed benchmark leaves no processes.
 */
@NullMarked
package dev.postrider.bench.process;

import org.jspecify.annotations.NullMarked;
