/**
 * The command line: one class per command, all registered in {@link dev.postrider.cli.Cli}.
 * Commands describe themselves with picocli's programmatic model, not with annotations, since
 * reading annotations by reflection costs a third of the start. A command throws {@link
 * dev.postrider.cli.terminal.UserError} or {@link dev.postrider.config.ConfigException} for errors
 * that the user can fix: the message is printed without a stack trace, and the exit code is 2.
 */
@NullMarked
package dev.postrider.cli;

import org.jspecify.annotations.NullMarked;
