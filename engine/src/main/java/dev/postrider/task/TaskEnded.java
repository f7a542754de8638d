package dev.postrider.task;

import dev.postrider.event.Event;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task has finished or failed; published within the transaction that ends it, and again after its
 * commit.
 *
 * @param task before it ended
 */
public record TaskEnded(Task task, TaskStatus status, ObjectNode data) implements Event {}
