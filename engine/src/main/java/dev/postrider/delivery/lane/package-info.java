/**
 * The state of each lane in the memory of this instance, one {@link
 * dev.postrider.delivery.lane.Lane} each (docs/adr/0023): when it is due, how many attempts are in
 * progress, its limit, whether it is closed, and which leases are held. Losing this state delays
 * deliveries but loses none: the database decides, and a sweep finds unknown lanes.
 */
@NullMarked
package dev.postrider.delivery.lane;

import org.jspecify.annotations.NullMarked;
