/**
 * The loops of the delivery: the claimer takes leases, the sender performs the attempt on a virtual
 * thread, the finisher records the result in batches, the releaser releases unsent leases. They
 * only orchestrate; {@code policy} decides.
 */
@NullMarked
package dev.postrider.delivery.loop;

import org.jspecify.annotations.NullMarked;
