package dev.postrider.api.queue;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.message.MessageOut;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.json.Times;
import dev.postrider.message.TextList;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueFilter;
import dev.postrider.queue.QueueHistoryStore;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The API calls of the polling API of Svix clients: a queue read as a log. Nothing is removed; an
 * iterator, of the caller or stored for a consumer, is the position.
 */
final class PollerCalls {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 250;
  private static final TextRule CONSUMER = TextRule.of(1, 256);

  private final QueueAccess access;
  private final QueueHistoryStore history;
  private final QueueFilter filter;

  PollerCalls(QueueAccess access, QueueHistoryStore history, QueueFilter filter) {
    this.access = access;
    this.history = history;
    this.filter = filter;
  }

  void poll(Call call) {
    Queue queue = access.poller(call);
    Query query = call.query();
    Id from = iterator(query);
    Instant after = query.time("after");
    if (from == null) {
      from = after == null ? Id.ZERO : Id.floorOf(after);
    }
    answer(call, queue, from);
  }

  /** With an iterator: starts there. Without: from the stored position of the consumer. */
  void consumerPoll(Call call) {
    Queue queue = access.poller(call);
    String consumer = consumer(call);
    Id read = iterator(call.query());
    if (read != null) {
      history.seek(queue, consumer, read);
    }
    answer(call, queue, read == null ? history.position(queue, consumer) : read);
  }

  void seek(Call call) throws IOException {
    Queue queue = access.poller(call);
    String consumer = consumer(call);
    Fields fields = call.fields();
    String after = fields.requiredText("after", TextRule.of(1, 64));
    Long at = after.isEmpty() ? null : Times.parse(after);
    if (at == null && !after.isEmpty()) {
      fields.problem("after", "must be a time such as 2026-01-31T12:00:00Z");
    }
    fields.check();
    Id position = Id.floorOf(at == null ? 0 : at);
    history.seek(queue, consumer, position);
    call.json(200, out -> out.object(o -> o.text("iterator", position.text(IdKind.DELIVERY))));
  }

  static String consumer(Call call) {
    String name = call.path("consumer");
    if (CONSUMER.problem(name) != null) {
      throw ApiError.notFound("consumer");
    }
    return name;
  }

  private static @Nullable Id iterator(Query query) {
    String text = query.text("iterator", TextRule.upTo(64));
    if (text == null || text.isEmpty()) {
      return null;
    }
    Id id = Id.parse(IdKind.DELIVERY, text);
    if (id == null) {
      throw query.wrong(
          "iterator", "is not a valid iterator; use the iterator of a previous response");
    }
    return id;
  }

  private void answer(Call call, Queue queue, Id from) {
    int limit = call.query().number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
    String channel = call.query().text("channel", Limits.CHANNEL_RULE);
    String type = call.query().text("event_type", Limits.EVENT_TYPE_RULE);
    Stretch stretch = read(queue, from, type, channel, limit);
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.array("data", stretch.shown(), PollerCalls::write)
                        .text("iterator", stretch.last().text(IdKind.DELIVERY))
                        .flag("done", stretch.seen() < limit)));
  }

  /**
   * Messages read from the log of a queue.
   *
   * @param seen how many there were, including those that are not shown
   * @param last the new position
   */
  record Stretch(List<Shown> shown, int seen, Id last) {}

  /**
   * A message in the response to a poll.
   *
   * @param filterError why the filter of the queue failed; the message is shown, because none may
   *     get lost silently
   */
  record Shown(QueueHistoryStore.Entry entry, @Nullable String filterError) {}

  Stretch read(
      Queue queue, Id from, @Nullable String eventType, @Nullable String channel, int limit) {
    List<QueueHistoryStore.Entry> rows = history.after(queue, from, eventType, limit);
    List<Shown> shown = new ArrayList<>();
    for (QueueHistoryStore.Entry entry : rows) {
      if (entry.payload() != null && hasChannel(entry, channel)) {
        judged(queue, entry).ifPresent(shown::add);
      }
    }
    return new Stretch(shown, rows.size(), rows.isEmpty() ? from : rows.getLast().position());
  }

  private static boolean hasChannel(QueueHistoryStore.Entry entry, @Nullable String channel) {
    return channel == null || TextList.decode(entry.channels()).contains(channel);
  }

  /** Empty if the filter of the queue rejects it. */
  private Optional<Shown> judged(Queue queue, QueueHistoryStore.Entry entry) {
    try {
      return filter.passes(queue, entry) ? Optional.of(new Shown(entry, null)) : Optional.empty();
    } catch (ExpressionFailed e) {
      return Optional.of(new Shown(entry, String.valueOf(e.getMessage())));
    }
  }

  static void write(JsonOut out, Shown shown) {
    QueueHistoryStore.Entry entry = shown.entry();
    if (shown.filterError() != null) {
      out.text("filterError", shown.filterError());
    }
    out.text("id", entry.messageId().text())
        .text("eventType", entry.eventType())
        .textOrNull("eventId", entry.eventId())
        .textsOrNull("channels", TextList.decode(entry.channels()))
        .textsOrNull("tags", TextList.decode(entry.tags()))
        .raw("headers", entry.headers())
        .text("contentType", entry.contentType() == null ? "application/json" : entry.contentType())
        .time("timestamp", entry.messageId().value().epochMs());
    byte[] payload = entry.payload();
    MessageOut.payload(out, payload == null ? new byte[0] : payload, entry.contentType());
  }
}
