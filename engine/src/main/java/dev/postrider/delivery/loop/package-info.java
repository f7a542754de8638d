/**
 * The loops that deliver, and what users request of them. They only orchestrate: {@code policy}
 * decides what follows from an attempt, {@code store} writes it, {@code lane} says how much this
 * instance may do and when.
 *
 * <pre>
 *   accept, leased at insert ──▶ Sender ──▶ Finisher ──▶ listeners, LaneBook
 *   Claimer, due ───────────────▶ │           ▲
 *                                 └─ Releases ┘  unsent
 * </pre>
 *
 * <ul>
 *   <li>{@link dev.postrider.delivery.loop.Claimer}, one thread: takes due lanes from the {@code
 *       LaneBook}, applications in turn, reserves slots, and leases a few deliveries of each lane.
 *       Free lanes are one statement; a lane that is throttled, ordered or half-open is claimed
 *       under the lock of its row ({@code GuardedClaim}). A sweep over the due index, at intervals
 *       and when another instance signals work, finds lanes that the book misses.
 *   <li>{@link dev.postrider.delivery.loop.Sender}, a virtual thread for each attempt: reads the
 *       current configuration of the endpoint from a cache, shapes, waits for the rate of the
 *       server, and just before it sends checks that the lane is open, that the throttle token is
 *       not too old and that the lease can be trusted ({@code TrustWindow}). It holds no database
 *       connection while it sends.
 *   <li>{@link dev.postrider.delivery.loop.Finisher}, three threads, so that a burst of timeouts
 *       delays no success: successes on healthy lanes are one statement, everything that changes a
 *       lane is a transaction with locks ({@link dev.postrider.delivery.loop.LaneFinish}), leases
 *       that end unsent are released.
 *   <li>{@code Expirer} cancels what waited longer than its event TTL. {@code UnhealthyLanes} reads
 *       which lanes failed on other instances. {@code Redriver}, {@code Canceler} and {@code
 *       EndpointTester} implement {@code delivery.command}.
 * </ul>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>A slot is taken in {@code LaneRoom} before the lease, and given back once: after the commit
 *       that ends the lease, or when this instance gives the lease up.
 *   <li>An attempt that was made is recorded. Its id exists before the commit, so a commit whose
 *       result was lost is written again and recognized. Results wait in memory until the database
 *       responds; their number is bounded by the leases.
 *   <li>A fault of our own (database, master key, egress proxy, no thread for an expression) spends
 *       no attempt and opens no circuit: the delivery is released.
 *   <li>A result or delivery that causes an internal error fails alone: batches are halved until it
 *       is found. What cannot be recorded is left to the rescuer.
 *   <li>Listeners are called after the commit, once for each result. Their failure changes nothing.
 * </ul>
 */
@NullMarked
package dev.postrider.delivery.loop;

import org.jspecify.annotations.NullMarked;
