/**
 * What a workflow declares. A {@link dev.postrider.workflow.definition.Definition} is one version
 * of a workflow, checked and ready to run: its steps have numbers, and every target is the number
 * of a step. Definitions are immutable and shared by all runs of a version.
 */
@NullMarked
package dev.postrider.workflow.definition;

import org.jspecify.annotations.NullMarked;
