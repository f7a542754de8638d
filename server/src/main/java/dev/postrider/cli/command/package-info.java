/** One class per command; {@code CommandTree} registers all of them. */
@NullMarked
package dev.postrider.cli.command;

import org.jspecify.annotations.NullMarked;
