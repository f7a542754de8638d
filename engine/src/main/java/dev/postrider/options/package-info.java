/** What the engine can be told at start: plain records, checked when they are built. */
@NullMarked
package dev.postrider.options;

import org.jspecify.annotations.NullMarked;
