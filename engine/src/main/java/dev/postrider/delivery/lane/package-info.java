/**
 * The state of each lane in the memory of this instance: when it is due, how many attempts are in
 * progress, its limit, and whether it is closed. Losing this state delays deliveries but loses
 * none: the database decides, and a sweep finds unknown lanes.
 */
@NullMarked
package dev.postrider.delivery.lane;

import org.jspecify.annotations.NullMarked;
