/**
 * The statements on deliveries, attempts, lanes and lease batches. Hot statements differ by dialect
 * and are in parallel classes ({@code PostgresStatements}, {@code SqliteStatements}).
 */
@NullMarked
package dev.postrider.delivery.store;

import org.jspecify.annotations.NullMarked;
