/** Options that several commands share: the configuration file and its settings, and times. */
@NullMarked
package dev.postrider.cli.option;

import org.jspecify.annotations.NullMarked;
