/**
 * The loops around a try: the claimer takes leases, the sender makes the try on a virtual thread,
 * the finisher records the result in batches, the releaser gives unsent leases back. They only
 * orchestrate; {@code policy} decides.
 */
@NullMarked
package dev.postrider.delivery.loop;

import org.jspecify.annotations.NullMarked;
