/**
 * What this instance knows of each lane, in memory: when it is due, how much is in flight, its
 * limit, whether it is closed. Losing any of it costs time, never a delivery: the database decides,
 * and a sweep finds unknown lanes.
 */
@NullMarked
package dev.postrider.delivery.lane;

import org.jspecify.annotations.NullMarked;
