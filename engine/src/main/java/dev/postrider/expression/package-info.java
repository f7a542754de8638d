/**
 * JSONata behind one small interface: filters and transforms of endpoints, rules of sources,
 * sessions of routes.
 *
 * <p>An expression is untrusted code that runs in our process. So every evaluation is bounded: by
 * time and memory ({@link dev.postrider.evaluation}), by depth, by the size of every intermediate
 * value and by the size of the result (docs/adr/0009-expression-limits.md).
 */
@NullMarked
package dev.postrider.expression;

import org.jspecify.annotations.NullMarked;
