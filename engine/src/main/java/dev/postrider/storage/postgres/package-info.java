/**
 * PostgreSQL: a pool for ordinary work, one dedicated connection per hot loop, and LISTEN/NOTIFY.
 *
 * <p>A hot loop runs the same few statements on tables that grow from empty to millions of rows.
 * Its connection therefore has settings of its own: generic plans that use the index, whatever the
 * statistics say, and a timeout after which a statement counts as blocked and its batch is tried
 * again. A connection that was lost is opened again by the next use; its caller gets {@code
 * DatabaseUnavailable} and does not know whether the commit succeeded.
 *
 * <p>The connections are our own ({@code OwnConnections}) or those of a given DataSource ({@code
 * GivenConnections}), whose settings are set at the start of each use and reset at its end. A
 * signal only wakes other instances sooner: nothing depends on its arrival, because every loop also
 * looks periodically.
 */
@NullMarked
package dev.postrider.storage.postgres;

import org.jspecify.annotations.NullMarked;
