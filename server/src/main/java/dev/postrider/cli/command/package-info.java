/**
 * The commands that work on files or call a server, one class each. {@code CommandTree} registers
 * them and those of {@code app}. They implement {@code spec.Command}, read options with {@code
 * option}, call the server through {@code remote} and print through {@code terminal}. They change
 * data only through the API, so a server checks and audits it; commands that change the database
 * itself are in {@code app}.
 */
@NullMarked
package dev.postrider.cli.command;

import org.jspecify.annotations.NullMarked;
