/** Checks the URLs of a configuration file without network access. */
@NullMarked
package dev.postrider.configfile.url;

import org.jspecify.annotations.NullMarked;
