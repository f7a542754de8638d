/** Checks of the documents: links, wrapping and words. */
@NullMarked
package dev.postrider.docs;

import org.jspecify.annotations.NullMarked;
