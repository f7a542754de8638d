/**
 * What the receivers of requests of workflows call: {@code /callback/{token}}, by which the step of
 * a run that waits for it goes on.
 */
@NullMarked
package dev.postrider.api.workflow;

import org.jspecify.annotations.NullMarked;
