/** Sixteen-byte time-ordered ids and their text form (engine rule 7). */
@NullMarked
package dev.postrider.id;

import org.jspecify.annotations.NullMarked;
