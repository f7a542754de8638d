/**
 * Cron sources. Every instance runs the same loop over all of them and accepts a message for each
 * tick that is due. A tick is still one message: its idempotency key is derived from the source and
 * the time of the tick, so only the accept of one instance succeeds, and the instances need no lock
 * and no leader. The keys are kept longer than any instance may lag behind.
 *
 * <p>{@code CronStore} has one row per cron source with its schedule and last tick. The row
 * advances only forward, and only after the accept: a crash in between repeats the tick, which is a
 * duplicate and ignored. After a pause of all instances the row says which ticks were missed, and
 * the setting of the source says whether none, the last or all of them fire now. A changed schedule
 * or a disabled source starts over from the present.
 */
@NullMarked
package dev.postrider.inbound.cron;

import org.jspecify.annotations.NullMarked;
