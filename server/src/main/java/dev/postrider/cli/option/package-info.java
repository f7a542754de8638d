/**
 * Options that several commands share: the configuration file and where it is found, the settings
 * of a server from flags, variables and that file, and times such as {@code 2h}. {@code PlainServe}
 * parses a plain {@code serve} without the library for options, which would delay each start.
 */
@NullMarked
package dev.postrider.cli.option;

import org.jspecify.annotations.NullMarked;
