package dev.postrider.id;

/**
 * An id with the kind of what it identifies, so that ids of different kinds cannot be swapped. It
 * is used in the signatures that ADR 25 names; rows and hot loops have the {@link Id} itself.
 */
public sealed interface TypedId
    permits ApiKeyId,
        ApplicationId,
        AttemptId,
        DeliveryId,
        IntegrationId,
        LaneId,
        MessageId,
        RouteId,
        SourceId,
        TaskId {
  Id value();

  IdKind kind();

  /** The text form, as in the API. */
  default String text() {
    return value().text(kind());
  }
}
