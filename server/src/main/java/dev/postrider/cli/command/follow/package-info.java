/** The commands that print or forward messages as they arrive. */
@NullMarked
package dev.postrider.cli.command.follow;

import org.jspecify.annotations.NullMarked;
