/** Cron schedules: the times of sources and workflows that start on their own. */
@NullMarked
package dev.postrider.schedule;

import org.jspecify.annotations.NullMarked;
