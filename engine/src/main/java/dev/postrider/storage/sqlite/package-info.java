/**
 * SQLite: one writer thread whose transactions share a commit, a few reader threads, the lock of
 * the data folder, and copies of the file.
 */
@NullMarked
package dev.postrider.storage.sqlite;

import org.jspecify.annotations.NullMarked;
