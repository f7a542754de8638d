package dev.postrider.inbound.request;

import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Extracts an event from the envelope that some providers wrap it in. The signature covers the
 * whole envelope; the message, and the input of the source's rules, is the event only.
 */
public final class Unwrapping {
  public static final String SNS_MESSAGE_ID = "x-amz-sns-message-id";
  public static final String SNS_SUBJECT = "x-amz-sns-subject";
  private static final String SNS_TOPIC = "x-amz-sns-topic-arn";
  private static final String SNS_TYPE = "x-amz-sns-message-type";
  private static final String JSON = "application/json";
  private static final String TEXT = "text/plain; charset=utf-8";

  private Unwrapping() {}

  public static UnaryOperator<InboundRequest> nothing() {
    return request -> request;
  }

  /** GitHub's default content type is a form with the JSON in its field {@code payload}. */
  public static UnaryOperator<InboundRequest> github() {
    return request -> {
      FormFields form = FormFields.of(request);
      String payload = form == null ? null : form.first("payload");
      return payload == null ? request : request.carrying(bytes(payload), JSON);
    };
  }

  /**
   * The published message. Attributes of the envelope become headers, which replace received ones,
   * because only the body is signed.
   *
   * @param message false to keep the envelope as the body
   */
  public static UnaryOperator<InboundRequest> sns(boolean message) {
    return request -> {
      byte[] body = request.body();
      InboundRequest noted =
          request
              .with(SNS_MESSAGE_ID, JsonBody.text(body, "MessageId"))
              .with(SNS_TOPIC, JsonBody.text(body, "TopicArn"))
              .with(SNS_SUBJECT, JsonBody.text(body, "Subject"))
              .with(SNS_TYPE, JsonBody.text(body, "Type"));
      String published = JsonBody.text(body, "Message");
      if (!message || published == null || !"Notification".equals(JsonBody.text(body, "Type"))) {
        return noted.carrying(body, JSON);
      }
      byte[] bytes = bytes(published);
      return noted.carrying(bytes, JsonBody.isJson(bytes) ? JSON : TEXT);
    };
  }

  /** The published message, whether or not it was unwrapped. */
  public static byte[] snsMessage(InboundRequest request) {
    byte[] body = request.body();
    String message = JsonBody.text(body, "Message");
    String id = JsonBody.text(body, "MessageId");
    // A publisher does not know the id in advance, so it cannot be part of the published
    // message.
    String known = request.header(SNS_MESSAGE_ID);
    boolean wrapped = id != null && (known == null || known.equals(id));
    return wrapped && message != null ? bytes(message) : body;
  }

  private static byte[] bytes(@Nullable String text) {
    return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
  }
}
