package dev.postrider.testkit;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.id.MessageId;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.BatchResult;
import dev.postrider.message.MessageBatch;
import dev.postrider.message.NewMessage;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Accepts into memory, with the answers of the real one. */
public final class FakeAcceptor implements Acceptor {
  public final List<NewMessage> accepted = Collections.synchronizedList(new ArrayList<>());

  /** What the next accept answers, whatever it is given; null means as usual. */
  public volatile @Nullable AcceptResult next;

  /** Runs before each accept. */
  public volatile Runnable before = () -> {};

  /** Runs after each accepted message. */
  public volatile Runnable after = () -> {};

  private final ApplicationStore applications;
  private final Ids ids;
  private final Map<List<Id>, Kept> byKey = new HashMap<>();
  private final Map<String, Id> byEventId = new HashMap<>();

  private record Kept(Id body, Id messageId) {}

  private final Map<Id, KeptBatch> batches = new HashMap<>();

  private record KeptBatch(Id body, List<MessageId> ids) {}

  public FakeAcceptor(ApplicationStore applications, Ids ids) {
    this.applications = applications;
    this.ids = ids;
  }

  @Override
  public synchronized AcceptResult accept(NewMessage message) {
    before.run();
    AcceptResult prepared = next;
    if (prepared != null) {
      next = null;
      return prepared;
    }
    Application application = applications.find(message.environmentId(), message.application());
    if (application == null) {
      return new AcceptResult.NoSuchApplication();
    }
    if (!application.spec().active()) {
      return new AcceptResult.ApplicationInactive();
    }
    Kept kept =
        message.key() == null
            ? null
            : byKey.get(List.of(application.id().value(), message.key().key()));
    if (kept != null && message.key() != null) {
      return kept.body().equals(message.key().body())
          ? AcceptResult.Accepted.replay(application.id(), new MessageId(kept.messageId()))
          : new AcceptResult.KeyReused();
    }
    Id id = ids.next();
    if (message.eventId() != null) {
      Id first = byEventId.putIfAbsent(application.id() + message.eventId(), id);
      if (first != null) {
        return new AcceptResult.EventIdTaken(new MessageId(first));
      }
    }
    if (message.key() != null) {
      byKey.put(
          List.of(application.id().value(), message.key().key()),
          new Kept(message.key().body(), id));
    }
    accepted.add(message);
    after.run();
    return AcceptResult.Accepted.first(application.id(), new MessageId(id), 0);
  }

  /** All or none, as the real one; a message that would be refused alone refuses the batch. */
  @Override
  public synchronized BatchResult acceptBatch(MessageBatch batch) {
    NewMessage.IdempotencyKey key = batch.key();
    KeptBatch kept = key == null ? null : batches.get(key.key());
    if (kept != null && key != null) {
      return kept.body().equals(key.body())
          ? new BatchResult.Accepted(
              kept.ids(), true, Collections.nCopies(kept.ids().size(), List.of()))
          : new BatchResult.Refused(BatchResult.Refused.WHOLE, new AcceptResult.KeyReused());
    }
    List<NewMessage> before = List.copyOf(accepted);
    List<MessageId> ids = new ArrayList<>();
    for (NewMessage message : batch.messages()) {
      AcceptResult result = accept(message);
      if (!(result instanceof AcceptResult.Accepted one)) {
        accepted.retainAll(before);
        boolean whole = !(result instanceof AcceptResult.EventIdTaken);
        return new BatchResult.Refused(whole ? BatchResult.Refused.WHOLE : ids.size(), result);
      }
      ids.add(one.messageId());
    }
    if (key != null) {
      batches.put(key.key(), new KeptBatch(key.body(), ids));
    }
    return new BatchResult.Accepted(ids, false, Collections.nCopies(ids.size(), List.of()));
  }

  @Override
  public List<AcceptResult> acceptAll(List<NewMessage> messages) {
    return messages.stream().map(this::accept).toList();
  }
}
