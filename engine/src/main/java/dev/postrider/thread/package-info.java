/** Threads that do one thing again and again until they are stopped. */
@NullMarked
package dev.postrider.thread;

import org.jspecify.annotations.NullMarked;
