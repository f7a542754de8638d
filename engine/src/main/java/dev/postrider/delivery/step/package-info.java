/**
 * The statements on requests of workflow steps. Such a request is a row of {@code deliveries}
 * without a message (docs/adr/0037): {@code run_id} and {@code run_seq} name the row of the history
 * whose value is its body, {@code run_epoch} the epoch of the run in which it was scheduled. A
 * claim skips those of an older epoch. The row is deleted when the request ends: the attempt and
 * the history are the record. Release, rescue and reconciling treat it as any other delivery.
 */
@NullMarked
package dev.postrider.delivery.step;

import org.jspecify.annotations.NullMarked;
