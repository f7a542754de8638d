/**
 * Logs and metrics. Logs go to stderr through java.util.logging; the code writes with {@link
 * System.Logger}. One event is one line, as text or as JSON ({@code LogFields} adds its fields).
 *
 * <p>{@code Metrics} is a {@code DeliveryListener}: numbers are incremented when things happen.
 * What only the database knows is read at intervals ({@code OpenDeliveries}), so a scrape waits for
 * nothing. Labels that callers choose are bounded ({@code BoundedLabels}).
 */
@NullMarked
package dev.postrider.observe;

import org.jspecify.annotations.NullMarked;
