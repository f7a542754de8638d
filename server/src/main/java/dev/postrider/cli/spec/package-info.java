/**
 * What a command is: a name with options, help and examples, code that runs, and an exit code. The
 * commands of {@code cli.command} and those of the composition root implement {@link
 * dev.postrider.cli.spec.Command}.
 */
@NullMarked
package dev.postrider.cli.spec;

import org.jspecify.annotations.NullMarked;
