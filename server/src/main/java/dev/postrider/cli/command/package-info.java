/** One class per command, all registered in {@link dev.postrider.cli.Cli}. */
@NullMarked
package dev.postrider.cli.command;

import org.jspecify.annotations.NullMarked;
