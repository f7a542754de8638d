/**
 * The database: connections, threads, transactions, migrations; no domain words.
 *
 * <p>SQLite has one writer thread and a few reader threads, all platform threads, because native
 * calls pin the carriers of virtual threads (engine rule 34). PostgreSQL has a pool for ordinary
 * work; the hot path opens dedicated connections. A caller uses {@link
 * dev.postrider.storage.Database#read} or {@link dev.postrider.storage.Database#write} independent
 * of the database.
 */
@NullMarked
package dev.postrider.storage;

import org.jspecify.annotations.NullMarked;
