/**
 * What this instance knows of each lane, in memory: one {@link dev.postrider.delivery.lane.Lane}
 * each, in the {@link dev.postrider.delivery.lane.LaneTable} (docs/adr/0023).
 *
 * <ul>
 *   <li>{@link dev.postrider.delivery.lane.LaneRoom}: how much. Slots, bytes and attempts, limited
 *       for each lane, application and instance. Accepting asks it before it leases at insert, the
 *       claimer before it claims; the end of an attempt and of a lease give back.
 *   <li>{@link dev.postrider.delivery.lane.LaneBook}: when. Which lanes have due deliveries, with
 *       applications in turn. Filled by the writes of this instance and by the sweeps of the
 *       claimer.
 *   <li>{@link dev.postrider.delivery.lane.LaneExecutor}: on which thread. A few attempts of a lane
 *       at once, so that they share connections.
 *   <li>{@link dev.postrider.delivery.lane.TrustWindow}: whether leases can still be trusted.
 *       {@link dev.postrider.delivery.lane.Egress}: whether the egress proxy responds. {@link
 *       dev.postrider.delivery.lane.Lanes} holds all of them together.
 * </ul>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>The row decides. A lane that is missing or wrong here delays deliveries and loses none:
 *       claims read the rows again, and a sweep finds unknown lanes. A lane that was closed here
 *       stays closed for a claim that had read its row before.
 *   <li>The counts of {@code LaneRoom} never exceed their limits; bytes may, by the last delivery
 *       of one claim.
 *   <li>Each group of fields of a lane has its own lock: the application's for slots, the book's
 *       for the schedule, the lane's for starts and leases. Only {@code LaneRoom} takes two, its
 *       own before the application's. What the hot path asks is a volatile read.
 *   <li>Who asked the table for a lane uses it at once, or for as long as it holds a slot there;
 *       the table drops lanes that nobody asks for.
 *   <li>Nothing here imports {@code delivery}: lanes know ids.
 * </ul>
 */
@NullMarked
package dev.postrider.delivery.lane;

import org.jspecify.annotations.NullMarked;
