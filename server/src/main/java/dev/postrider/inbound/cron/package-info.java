/**
 * Cron sources: schedules, and messages that are created once per time of the schedule over all
 * instances.
 */
@NullMarked
package dev.postrider.inbound.cron;

import org.jspecify.annotations.NullMarked;
