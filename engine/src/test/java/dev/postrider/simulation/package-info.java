/**
 * A deterministic simulation of the engine. {@code SimulationLoader} loads the engine's own classes
 * and turns every call that waits, starts a thread, reads a clock, draws a random number or sends a
 * request into a call of {@code Hooks}; all else runs as it ships, against a real SQLite in memory.
 * {@code Timeline} runs all threads of all instances as coroutines on one thread, in virtual time,
 * in an order that only the seed decides.
 */
@NullMarked
package dev.postrider.simulation;

import org.jspecify.annotations.NullMarked;
