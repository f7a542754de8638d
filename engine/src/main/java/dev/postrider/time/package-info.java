/**
 * The one clock, and how long a loop waits after a failure. Nothing outside this package reads the
 * machine's time or sleeps.
 */
@NullMarked
package dev.postrider.time;

import org.jspecify.annotations.NullMarked;
