/**
 * The output of commands: tables, JSON, progress and errors, on a terminal or into a pipe. {@link
 * dev.postrider.cli.terminal.Terminal} has the streams, the environment variables and the format,
 * so tests run commands without a process. A {@code UserError} is printed without a stack trace;
 * its text contains the fix.
 */
@NullMarked
package dev.postrider.cli.terminal;

import org.jspecify.annotations.NullMarked;
