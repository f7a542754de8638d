/**
 * Durable workflows. {@code workflow.data} has the values of a run, {@code workflow.definition}
 * what a workflow declares.
 */
@NullMarked
package dev.postrider.workflow;

import org.jspecify.annotations.NullMarked;
