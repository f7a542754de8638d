package dev.postrider.operational;

import tools.jackson.databind.node.ObjectNode;

/**
 * An event about Postrider itself, such as a disabled endpoint, that operational webhooks send.
 *
 * @param data the fields of the event; it is sent as {@code {type, data}}
 */
record OperationalEvent(String type, ObjectNode data) {
  static final String ENDPOINT_CREATED = "endpoint.created";
  static final String ENDPOINT_UPDATED = "endpoint.updated";
  static final String ENDPOINT_DELETED = "endpoint.deleted";
  static final String ENDPOINT_ENABLED = "endpoint.enabled";
  static final String ENDPOINT_DISABLED = "endpoint.disabled";
  static final String SECRET_ROTATED = "endpoint.secret.rotated";
  static final String CIRCUIT_OPENED = "endpoint.circuit.opened";
  static final String CIRCUIT_CLOSED = "endpoint.circuit.closed";
  static final String ATTEMPT_EXHAUSTED = "message.attempt.exhausted";
  static final String ATTEMPT_FAILING = "message.attempt.failing";
  static final String ATTEMPT_RECOVERED = "message.attempt.recovered";
  static final String TASK_FINISHED = "background_task.finished";
}
