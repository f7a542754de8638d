/**
 * PostgreSQL: a pool for ordinary work, dedicated connections with session settings for the hot
 * loops, and LISTEN/NOTIFY. The connections are our own ({@code OwnConnections}) or those of a
 * given DataSource ({@code GivenConnections}).
 */
@NullMarked
package dev.postrider.storage.postgres;

import org.jspecify.annotations.NullMarked;
