/** The engine as a library: named modules that are compiled and run against its jar. */
@NullMarked
package dev.postrider.e2e.library;

import org.jspecify.annotations.NullMarked;
