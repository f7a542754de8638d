/** The crash suite in its short form, against the packaged jar. */
@NullMarked
package dev.postrider.e2e.crash;

import org.jspecify.annotations.NullMarked;
