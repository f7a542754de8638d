/**
 * Rules about texts that several packages need: what a mistyped name was probably meant to be, for
 * error messages, and percent-encoding in URLs.
 */
@NullMarked
package dev.postrider.text;

import org.jspecify.annotations.NullMarked;
