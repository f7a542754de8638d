/**
 * The statements on deliveries, attempts, lanes and lease batches, and the readers that show them.
 * Accepting has statements of its own ({@code delivery.accept}), and so have shaping and pruning.
 *
 * <ul>
 *   <li>{@link dev.postrider.delivery.store.LeaseStore} takes, ends, releases and rescues leases;
 *       the loops and the rescuer call it.
 *   <li>{@link dev.postrider.delivery.store.HotStatements} are the two statements of almost every
 *       delivery: claim from free lanes, and record finished attempts. They are one round trip for
 *       a batch on PostgreSQL and a prepared statement for each row on SQLite, so each dialect has
 *       its class. They take the connection of their caller.
 *   <li>{@link dev.postrider.delivery.store.DueStore} finds and locks what is due, {@link
 *       dev.postrider.delivery.store.LaneStore} reads and locks lanes, {@link
 *       dev.postrider.delivery.store.LanePlaceStore} assigns positions in ordered lanes.
 *   <li>{@code RedriveStore}, {@code CancelStore} and {@code ContentStore} are what users request.
 *   <li>{@code …Reader} classes read for lists and single views, in one snapshot where several
 *       tables decide; {@code delivery.rowless} adds the deliveries without a row.
 * </ul>
 *
 * <h2>Rules of the statements</h2>
 *
 * <ul>
 *   <li><b>A write that ends a lease is fenced.</b> Its name ends with {@code IfHeld}, or it works
 *       on leases that its transaction has locked ({@code lockHeld}). The fence of a row is its
 *       {@code lease_version}, that of a delivery without a row its attempt number 1, which is
 *       inserted only while its lease batch exists. What was not held is not an error: the caller
 *       finds out whether its own attempt is recorded already ({@code attemptExists}) or the lease
 *       was lost.
 *   <li><b>Lock order</b>: applications, messages, deliveries, lanes, each by id. Claims do not
 *       wait for rows that are locked; they skip them. A guarded claim takes the lane before the
 *       deliveries, but only tries to lock it.
 *   <li><b>A statement on deliveries names their application</b>, with which the keys of growing
 *       tables begin on PostgreSQL. Only the sweeps over the due index and over leases do not.
 *   <li><b>A success on a healthy lane writes no lane.</b>
 *   <li><b>Codes</b> of statuses are names in braces, such as {@code {SENDING}}, which {@link
 *       dev.postrider.delivery.StoredCodes} replaces.
 * </ul>
 */
@NullMarked
package dev.postrider.delivery.store;

import org.jspecify.annotations.NullMarked;
