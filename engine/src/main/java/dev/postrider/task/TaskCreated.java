package dev.postrider.task;

import dev.postrider.event.Event;

/** A background task was stored, to be started soon. */
public record TaskCreated(Task task) implements Event {}
