/**
 * Periodic work that keeps a database with several instances correct and small: one class per loop.
 *
 * <p>Every instance runs the heartbeat. An instance that has not reported for too long is declared
 * dead, and its leases are rescued, as are leases that expired; a rescued delivery is sent again,
 * which is why delivery is at least once. Rescuing needs no leader: each step is one conditional
 * statement over a limited number of rows, so instances that do it at once only share the work.
 * Pruning is done by one instance at a time, in short transactions with pauses as long as the work
 * itself, so that accepting and sending are hardly affected. Checkpoints and the disk guard exist
 * only on SQLite, where this process is the only one that can do them.
 */
@NullMarked
package dev.postrider.maintenance;

import org.jspecify.annotations.NullMarked;
