/**
 * What happens in a run, as a pure function. {@link dev.postrider.workflow.machine.RunMachine#next}
 * takes the state of a run and events, and returns rows of its history and effects. The new state
 * is only the fold of those rows ({@link dev.postrider.workflow.machine.RunState}), so a run can be
 * reconstructed from its history alone. Time, ids, stored values and expressions come from {@link
 * dev.postrider.workflow.machine.Facts}; nothing here has a connection or a thread.
 */
@NullMarked
package dev.postrider.workflow.machine;

import org.jspecify.annotations.NullMarked;
