/**
 * Values of workflows: JSON that is parsed when it is read for the first time, where a value is
 * stored, where a result is put, and what is hidden when a value is shown. Everything here is
 * immutable and knows nothing of steps and runs.
 */
@NullMarked
package dev.postrider.workflow.data;

import org.jspecify.annotations.NullMarked;
