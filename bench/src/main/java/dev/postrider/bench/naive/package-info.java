/**
 * The reference to beat: one transaction per accept, claim 10 with SKIP LOCKED, one transaction per
 * finish, with the same HTTP server and delivery client. Its backlog is bounded. Kept simple on
 * purpose; nothing here is tuned.
 */
@NullMarked
package dev.postrider.bench.naive;

import org.jspecify.annotations.NullMarked;
