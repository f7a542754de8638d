/**
 * Starts runs on a schedule. Every instance examines all schedules; a tick starts one run, because
 * the transaction that inserts it advances the row of the schedule, which only one can.
 */
@NullMarked
package dev.postrider.workflow.cron;

import org.jspecify.annotations.NullMarked;
