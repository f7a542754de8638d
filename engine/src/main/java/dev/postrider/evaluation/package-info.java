/**
 * Runs what tenants supply: expressions, JSON Schemas and regular expressions.
 *
 * <p>Such a program must not stop the server, whatever it does and however many there are. Three
 * rules see to that (docs/adr/0014-bounded-evaluation.md):
 *
 * <ol>
 *   <li>It runs on an {@link dev.postrider.evaluation.Evaluator}'s own platform threads, never on a
 *       carrier thread of the virtual threads.
 *   <li>It has a {@link dev.postrider.evaluation.Budget} of processor time and memory, which is
 *       checked at every step. A regular expression ({@link dev.postrider.evaluation.Regex}) takes
 *       time in proportion to its text and checks the budget while it reads.
 *   <li>Its owner, an application or an environment, gets a share of the threads ({@link
 *       dev.postrider.evaluation.Places}), so others always find one.
 * </ol>
 */
@NullMarked
package dev.postrider.evaluation;

import org.jspecify.annotations.NullMarked;
