/** Rules about words that several packages need: what a mistyped name was probably meant to be. */
@NullMarked
package dev.postrider.text;

import org.jspecify.annotations.NullMarked;
