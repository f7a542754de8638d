/** The composition root: the only package that sees all others. Start and stop order live here. */
@NullMarked
package dev.postrider.app;

import org.jspecify.annotations.NullMarked;
