/**
 * The crash suite: {@code postrider crash-test}. The packaged server runs in child processes; a
 * seeded plan kills, freezes and starves them while callers send and a receiver writes down what
 * arrives. A {@link dev.postrider.bench.crash.Trial} is one database, one kind of fault and one
 * final judgement: every accepted message arrived, nothing arrived twice without an excuse, and the
 * tables hold no orphans. All of it is seen from the outside.
 */
@NullMarked
package dev.postrider.bench.crash;

import org.jspecify.annotations.NullMarked;
