/**
 * Runs code of tenants: expressions, JSON Schemas and regular expressions.
 *
 * <p>Such code must not stop the server. Three rules ensure that
 * (docs/adr/0014-bounded-evaluation.md):
 *
 * <ol>
 *   <li>It runs on an {@link dev.postrider.evaluation.Evaluator}'s own platform threads, never on a
 *       carrier thread of the virtual threads.
 *   <li>It has a {@link dev.postrider.evaluation.Budget} of processor time and memory, which is
 *       checked at every step. A regular expression ({@link dev.postrider.evaluation.Regex}) runs
 *       in linear time and checks the budget while it reads.
 *   <li>Its owner, an application or an environment, gets a share of the threads ({@link
 *       dev.postrider.evaluation.Places}), so others always get one.
 * </ol>
 */
@NullMarked
package dev.postrider.evaluation;

import org.jspecify.annotations.NullMarked;
