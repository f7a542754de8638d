/**
 * The rows of workflows: definitions and their versions, runs, their history, callbacks, and what
 * runs send each other. A transition is committed by compare-and-set of {@code
 * workflow_runs.revision}; the history is only ever appended.
 */
@NullMarked
package dev.postrider.workflow.store;

import org.jspecify.annotations.NullMarked;
