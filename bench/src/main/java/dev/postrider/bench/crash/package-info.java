/**
 * The crash suite, {@code postrider crash-test}. The packaged server runs in child processes.
 * Trials kill and freeze them, in a random order that a seed repeats, while clients send messages
 * and a receiver records the requests that arrive. A {@link dev.postrider.bench.crash.Trial} is one
 * kind of fault on one database. At its end the suite checks that every accepted message arrived,
 * that nothing arrived twice unless a fault explains it, and that the tables are consistent. It
 * uses only the API, the receiver and the tables.
 */
@NullMarked
package dev.postrider.bench.crash;

import org.jspecify.annotations.NullMarked;
