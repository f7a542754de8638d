/**
 * Builds an engine from its parts, and starts and stops them in order.
 *
 * <p>Each record holds the parts of one concern and creates them from those before it: {@code
 * Foundation} (options, database, ids, keys), {@code Reporting}, {@code TargetParts} (which
 * addresses may be contacted), {@code Outbound} (lanes, sending, finishing), {@code Upkeep}, {@code
 * Intake} (accepting) and {@code TaskParts}. {@code EngineRuntime} is the only class that knows all
 * of them. Constructors only store their arguments; nothing runs before {@code start}.
 *
 * <p>The start goes from what others need to what takes work: heartbeat and finisher first, so that
 * no lease exists whose result cannot be written, then accepting and claiming. The stop goes the
 * other way: no new claims, no new accepts, running attempts get some time, their results are
 * written, and the connections are closed last.
 */
@NullMarked
package dev.postrider.engine.wiring;

import org.jspecify.annotations.NullMarked;
