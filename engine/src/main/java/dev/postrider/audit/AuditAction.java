package dev.postrider.audit;

import java.util.Arrays;
import java.util.List;

/**
 * The audited actions: those that delete something, send something again, create keys, or affect a
 * whole environment.
 */
public enum AuditAction {
  APPLICATION_DELETE("application.delete"),
  APPLICATION_PURGE("application.purge"),
  APPLICATION_REDRIVE("application.redrive"),
  APPLICATION_REPLAY("application.replay"),
  APPLICATION_SECRET_ROTATE("application.secret.rotate"),
  ENDPOINT_DELETE("endpoint.delete"),
  ENDPOINT_PURGE("endpoint.purge"),
  ENDPOINT_SECRET_ROTATE("endpoint.secret.rotate"),
  EVENT_TYPE_ARCHIVE("event-type.archive"),
  EVENT_TYPE_EXPUNGE("event-type.expunge"),
  ENDPOINT_RECOVER("endpoint.recover"),
  ENDPOINT_REDRIVE("endpoint.redrive"),
  ENDPOINT_REPLAY_MISSING("endpoint.replay-missing"),
  ENDPOINT_BULK_REPLAY("endpoint.bulk-replay"),
  DELIVERY_RETRY("delivery.retry"),
  DELIVERY_CANCEL("delivery.cancel"),
  MESSAGE_RESEND("message.resend"),
  MESSAGE_CANCEL("message.cancel"),
  MESSAGE_EXPUNGE("message.expunge"),
  MESSAGE_EXPUNGE_ALL("message.expunge-all"),
  ATTEMPT_EXPUNGE("attempt.expunge"),
  SOURCE_DELETE("source.delete"),
  SOURCE_SECRET_ROTATE("source.secret.rotate"),
  QUEUE_DELETE("queue.delete"),
  QUEUE_REDRIVE("queue.redrive"),
  QUEUE_KEY_ROTATE("queue.key.rotate"),
  QUEUE_TOKEN_ROTATE("queue.token.rotate"),
  ROUTE_DELETE("route.delete"),
  INTEGRATION_DELETE("integration.delete"),
  INTEGRATION_KEY_ROTATE("integration.key.rotate"),
  ALERT_DELETE("alert.delete"),
  API_KEY_CREATE("api-key.create"),
  API_KEY_REVOKE("api-key.revoke"),
  PORTAL_EXPIRE_ALL("portal.expire-all"),
  ENVIRONMENT_CREATE("environment.create"),
  ENVIRONMENT_UPDATE("environment.update");

  private final String text;

  AuditAction(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  /** The kind of the object: the first part of the text. */
  public String objectKind() {
    return text.substring(0, text.indexOf('.'));
  }

  public static List<String> texts() {
    return Arrays.stream(values()).map(AuditAction::text).toList();
  }
}
