/** The output of commands: tables, JSON, progress and errors, on a terminal or into a pipe. */
@NullMarked
package dev.postrider.cli.terminal;

import org.jspecify.annotations.NullMarked;
