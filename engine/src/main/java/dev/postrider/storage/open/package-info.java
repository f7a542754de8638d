/**
 * Opens a database by its options: {@link dev.postrider.storage.open.Databases} opens SQLite or
 * PostgreSQL and migrates the schema, {@link dev.postrider.storage.open.DatabaseProbe} looks at one
 * without changing it. This is the only package that knows both dialects; all others see {@code
 * storage.Database}.
 */
@NullMarked
package dev.postrider.storage.open;

import org.jspecify.annotations.NullMarked;
