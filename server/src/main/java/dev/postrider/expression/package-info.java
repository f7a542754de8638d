/**
 * JSONata behind one small interface: filters and transforms of endpoints, rules of sources,
 * sessions of routes.
 *
 * <p>An expression is a stranger's program that runs in our process. So every evaluation is
 * bounded: by time, by depth, by the size of every value on the way and by the size of the result.
 * Evaluations run on a few platform threads of their own, each with its own compiled expressions,
 * because compiled expressions must not be shared between threads and because a regular expression
 * that never ends must not take a carrier thread with it (docs/adr/0009-expression-limits.md).
 */
@NullMarked
package dev.postrider.expression;

import org.jspecify.annotations.NullMarked;
