/** The one clock. Nothing outside this package reads the machine's time or sleeps. */
@NullMarked
package dev.postrider.time;

import org.jspecify.annotations.NullMarked;
