/** Drives ./postrider, the shell script in the root of the repository. */
@NullMarked
package dev.postrider.e2e.launcher;

import org.jspecify.annotations.NullMarked;
