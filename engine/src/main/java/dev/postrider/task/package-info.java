/**
 * Asynchronous tasks that continue after the response of their call: recoveries, replays,
 * expunging, usage, broadcasts.
 *
 * <p>A task is a row. One instance leases it and does one bounded step after the other. Each step
 * writes its progress, cursor included, in the transaction that does the work and only while the
 * lease is held; so a task that another instance takes over, after a restart or a crash, continues
 * exactly after the last committed step. A step that cannot be part of that transaction (a
 * broadcast accepts messages) is repeatable instead. The runner takes turns among its tasks and
 * pauses as long as it works, so that accepting and delivering are hardly affected.
 */
@NullMarked
package dev.postrider.task;

import org.jspecify.annotations.NullMarked;
