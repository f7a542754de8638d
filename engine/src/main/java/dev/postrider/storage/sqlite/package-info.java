/**
 * SQLite: one process, one file, and a lock on the data folder that keeps a second process out.
 *
 * <p>SQLite has one writer at a time, so one thread does all writing. It takes what is queued, runs
 * each piece under its own savepoint and commits once: one fsync serves many callers, and a failed
 * piece does not affect the others. Pieces of the hot loops have no savepoint, because SQLite would
 * copy each page that they change; if one fails, the group is rolled back and run piece by piece.
 * Readers have threads and connections of their own and see the last commit, as WAL allows, so
 * reading and writing never wait for each other. A watchdog interrupts a read that takes too long,
 * and {@code SqliteCopy} copies the file while it is in use.
 */
@NullMarked
package dev.postrider.storage.sqlite;

import org.jspecify.annotations.NullMarked;
