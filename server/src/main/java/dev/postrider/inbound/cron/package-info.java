/** Cron sources: schedules, and ticks that fire once over all instances. */
@NullMarked
package dev.postrider.inbound.cron;

import org.jspecify.annotations.NullMarked;
