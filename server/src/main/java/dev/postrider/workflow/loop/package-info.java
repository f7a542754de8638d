/**
 * Runs workflows. Events of a run (answers of requests, time, calls of the API, callbacks, ends of
 * children) go through its {@code Mailbox}: one virtual thread while there are any. It reads the
 * run, lets {@link dev.postrider.workflow.machine.RunMachine} decide, with no connection held, and
 * gives the transition to the {@code RunCommitter}, which writes transitions of many runs in one
 * transaction: the ends of requests, the compare-and-set of each run, the history, and the next
 * requests. A transition that another instance was faster than is decided again.
 */
@NullMarked
package dev.postrider.workflow.loop;

import org.jspecify.annotations.NullMarked;
