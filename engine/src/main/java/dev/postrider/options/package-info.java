/** The options of the engine: plain records, validated when they are built. */
@NullMarked
package dev.postrider.options;

import org.jspecify.annotations.NullMarked;
