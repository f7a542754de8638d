/**
 * The composition root: the only package that sees all others. It defines the order of start and
 * stop.
 */
@NullMarked
package dev.postrider.app;

import org.jspecify.annotations.NullMarked;
