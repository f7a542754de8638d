package dev.postrider.delivery.loop;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.shape.SentHeaders;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.signature.Signable;
import dev.postrider.signature.SignatureHeader;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a request that Postrider sets.
 *
 * @param shapedType the content type that a transform chose, if one did
 */
record RequestHeaders(String userAgent, EndpointConfigs.Ready ready, @Nullable String shapedType) {

  /**
   * What the headers say of a message and its delivery.
   *
   * @param attempt the number of the attempt
   * @param eventId the sender's own id of the message
   */
  record Subject(
      Id messageId,
      Id deliveryId,
      int attempt,
      String eventType,
      @Nullable String contentType,
      @Nullable String eventId) {
    /** Only a request of a workflow step has no event type. */
    boolean ofStep() {
      return eventType.isEmpty();
    }

    static Subject of(Delivery delivery) {
      Delivery.Extras extras = delivery.extras();
      return new Subject(
          delivery.messageId(),
          delivery.id(),
          delivery.number(),
          delivery.eventType(),
          delivery.content().contentType(),
          extras == null ? null : extras.eventId());
    }
  }

  /**
   * Adds them in the order in which they are sent; returns the signature for the record. A user
   * agent or content type set by the endpoint replaces ours.
   */
  @Nullable String fill(HeaderList headers, Subject subject, byte[] body, long timestampSeconds) {
    String messageId = subject.messageId().text(IdKind.MESSAGE);
    String deliveryId = subject.deliveryId().text(IdKind.DELIVERY);
    if (!ready.customHeaders().has(SentHeaders.USER_AGENT)) {
      headers.add(SentHeaders.USER_AGENT, userAgent);
    }
    if (!ready.customHeaders().has(SentHeaders.CONTENT_TYPE)) {
      String type = shapedType == null ? subject.contentType() : shapedType;
      headers.add(SentHeaders.CONTENT_TYPE, type == null ? "application/json" : type);
    }
    EndpointConfig.Signing signing = ready.config().signing();
    List<SignatureHeader> signed =
        subject.ofStep() && signing.keys().isEmpty()
            ? List.of() // a step may be sent unsigned
            : signing
                .scheme()
                .headers(
                    signing.keys(),
                    new Signable(
                        messageId, deliveryId, subject.eventType(), timestampSeconds, body));
    String signature = null;
    for (SignatureHeader header : signed) {
      headers.add(header.name(), header.value());
      if (header.name().toLowerCase(Locale.ROOT).endsWith("signature")) {
        signature = header.value();
      }
    }
    headers.add(SentHeaders.DELIVERY_ID, deliveryId);
    headers.add(SentHeaders.ATTEMPT, Integer.toString(subject.attempt()));
    // A library's caller chooses both freely.
    if (!subject.ofStep()) { // that has no event type, and no endpoint
      headers.addIfSendable(SentHeaders.EVENT_TYPE, subject.eventType());
      headers.addAll(ready.ownName());
    }
    if (subject.eventId() != null) {
      headers.addIfSendable(SentHeaders.EVENT_ID, subject.eventId());
    } else if (!subject.ofStep()) {
      headers.add(SentHeaders.EVENT_ID, messageId);
    }
    return signature;
  }
}
