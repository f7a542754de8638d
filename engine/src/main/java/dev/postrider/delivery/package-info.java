/**
 * Deliveries and the lease protocol.
 *
 * <p>A delivery is one message to one target. Its row is the queue item; one that is sent at once
 * and succeeds never gets a row (docs/adr/0022). This package holds the vocabulary: the status and
 * its transitions ({@link dev.postrider.delivery.Transitions}), the lease, the result of an
 * attempt, and the listener that is called after each commit. The sub-packages do the work:
 *
 * <ul>
 *   <li>{@code accept}: group commit of new messages with their deliveries
 *   <li>{@code command}: what users request: send again, cancel, test an endpoint
 *   <li>{@code lane}: the state of each lane, in memory
 *   <li>{@code loop}: claim, send, finish, release
 *   <li>{@code policy}: pure functions that decide what follows from an attempt
 *   <li>{@code rowless}: deliveries without a row, as other tables show them
 *   <li>{@code shape}: filters, transforms and agent routes, before the first attempt
 *   <li>{@code store}: the statements
 *   <li>{@code http}: one attempt over HTTP
 * </ul>
 *
 * <h2>Leases</h2>
 *
 * A delivery is sent only by the instance that holds its lease. There are two ways to get one:
 *
 * <ol>
 *   <li><b>Leased at insert.</b> The lane is free (closed circuit, not paused, ordered or
 *       throttled, nothing waiting) and this instance has room. The delivery is handed to the
 *       sender in memory and has no row: its message names its lane ({@code messages.targets}), and
 *       one row of {@code lease_batches} holds the leases of that commit. Only if something must be
 *       fixed before the first attempt, such as the result of a transform, it gets a row with
 *       status {@code sending} and {@code lease_until}.
 *   <li><b>Claimed.</b> The claimer takes due deliveries, a few of each lane, and sets {@code
 *       lease_until} in their rows.
 * </ol>
 *
 * <h2>Fences</h2>
 *
 * The lease of a row has a version. Taking it increments {@code lease_version}, which is also the
 * number of the attempt, and every statement that ends it says {@code WHERE id = ? AND
 * lease_version = ?}.
 *
 * <p>The lease without a row ends when attempt number 1 is inserted, {@code ON CONFLICT DO NOTHING}
 * and only while its lease batch exists. What else follows from the end is written in the same
 * transaction, and only if that attempt was inserted:
 *
 * <pre>
 *   success           attempt
 *   failure           attempt             row: failed or dead_letter
 *   ended untried     attempt, void       row: pending, canceled or dead_letter
 *   rescue            attempt, unknown    row: failed
 * </pre>
 *
 * So a first attempt that is not a success has a row, and from then on the row's fence applies. A
 * void attempt is in no list and no count. A lease batch is deleted only when each of its
 * deliveries has a first attempt, as its instance has counted ({@link
 * dev.postrider.delivery.LeaseBatch#settled}) or as a look-up under the lock of the row says. What
 * it names is not pruned.
 *
 * <p>Zero rows or no attempt inserted means either that our own attempt is already recorded (the
 * result of the commit was lost) or that the lease was lost; a lost lease never overwrites
 * anything. Nothing locks an attempt that does not exist yet, so a transaction that found a lease
 * held and then inserts nothing runs again.
 *
 * <h2>When an instance dies</h2>
 *
 * Each instance increments a counter in its row (the heartbeat). Another instance that heartbeats
 * successfully declares it dead when the counter has not changed for 20 s of the observer's own
 * monotonic time; no wall clock is compared. The rescuer then writes an attempt with the outcome
 * "unknown" for each of its leases and makes the delivery due; of a row it increments the version.
 * On SQLite there is one instance, so its next start rescues everything at once.
 *
 * <p>Fencing protects writes, not sends. Just before a send the sender checks that its last
 * successful heartbeat is recent ({@code TrustWindow}) and drops the lease otherwise. So a receiver
 * gets a duplicate only when a process died, froze or lost its database between sending and
 * recording.
 *
 * <p>Every 10 s an instance compares the leases that the database has for it with those that it
 * holds in memory, and releases what it does not hold when it saw it twice in a row.
 */
@NullMarked
package dev.postrider.delivery;

import org.jspecify.annotations.NullMarked;
