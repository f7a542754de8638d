package dev.postrider.queue;

import dev.postrider.delivery.shape.Shaping;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.Expressions;
import org.jspecify.annotations.Nullable;

/** Evaluates the filter of a queue for a message. */
public final class QueueFilter {
  private final Shaping shaping;

  public QueueFilter(Expressions expressions) {
    this.shaping = new Shaping(expressions);
  }

  /**
   * Whether the queue has no filter or it accepts the message; true without a payload.
   *
   * @throws ExpressionFailed if the filter fails for this message
   */
  public boolean passes(Queue queue, QueueHistoryStore.Entry entry) {
    return passes(
        queue,
        entry.payload(),
        payload ->
            new Shaping.Subject(
                queue.applicationId().value(),
                entry.messageId().value(),
                entry.position(),
                entry.eventType(),
                entry.contentType(),
                payload,
                entry.headers(),
                entry.source(),
                null,
                null));
  }

  boolean passes(Queue queue, QueueItem item) {
    return passes(
        queue,
        item.payload(),
        payload ->
            new Shaping.Subject(
                queue.applicationId().value(),
                item.messageId().value(),
                item.deliveryId().value(),
                item.eventType(),
                item.contentType(),
                payload,
                item.headers(),
                item.source(),
                null,
                null));
  }

  private interface Subject {
    Shaping.Subject with(byte[] payload);
  }

  private boolean passes(Queue queue, byte @Nullable [] payload, Subject subject) {
    String filter = queue.spec().get(QueueFields.FILTER);
    return filter == null
        || payload == null
        || !(shaping.of(subject.with(payload), filter, null) instanceof Shaping.Result.Filtered);
  }
}
