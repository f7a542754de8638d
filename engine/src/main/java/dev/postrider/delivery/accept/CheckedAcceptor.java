package dev.postrider.delivery.accept;

import dev.postrider.endpoint.Routing;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.eventtype.EventTypeRules;
import dev.postrider.id.ApplicationId;
import dev.postrider.json.Problem;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.BatchResult;
import dev.postrider.message.MessageBatch;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.DatabaseUnavailable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An {@link dev.postrider.message.Acceptor} that first checks the message against its event type
 * and rejects it if the type does not allow it.
 */
public final class CheckedAcceptor implements Acceptor {
  private final Acceptor next;
  private final EventTypeRules rules;
  private final RoutingCache routings;

  private final KeyWindow window;

  public CheckedAcceptor(
      Acceptor next, EventTypeRules rules, RoutingCache routings, KeyWindow window) {
    this.next = next;
    this.rules = rules;
    this.routings = routings;
    this.window = window;
  }

  @Override
  public boolean isFull() {
    return next.isFull();
  }

  @Override
  public AcceptResult accept(NewMessage message) {
    Look look = look(message);
    return look.refused() == null
        ? withWarnings(next.accept(window.applyTo(message, look.keyWindowMs())), look.warnings())
        : look.refused();
  }

  @Override
  public List<AcceptResult> acceptAll(List<NewMessage> messages) {
    List<Look> looks = messages.stream().map(this::look).toList();
    List<NewMessage> fitting = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      if (looks.get(i).refused() == null) {
        fitting.add(window.applyTo(messages.get(i), looks.get(i).keyWindowMs()));
      }
    }
    Iterator<AcceptResult> accepted =
        fitting.isEmpty() ? Collections.emptyIterator() : next.acceptAll(fitting).iterator();
    return looks.stream()
        .map(
            look ->
                look.refused() == null
                    ? withWarnings(accepted.next(), look.warnings())
                    : look.refused())
        .toList();
  }

  @Override
  public BatchResult acceptBatch(MessageBatch batch) {
    List<List<Problem>> warnings = new ArrayList<>(batch.messages().size());
    for (NewMessage message : batch.messages()) {
      Look look = look(message);
      AcceptResult refused = look.refused();
      if (refused != null) {
        boolean whole = refused instanceof AcceptResult.Refused;
        return new BatchResult.Refused(
            whole ? BatchResult.Refused.WHOLE : warnings.size(), refused);
      }
      warnings.add(look.warnings());
    }
    BatchResult result = next.acceptBatch(batch);
    return result instanceof BatchResult.Accepted accepted
        ? new BatchResult.Accepted(accepted.ids(), accepted.replayed(), warnings)
        : result;
  }

  private static AcceptResult withWarnings(AcceptResult result, List<Problem> warnings) {
    return !warnings.isEmpty() && result instanceof AcceptResult.Accepted accepted
        ? new AcceptResult.Accepted(
            accepted.applicationId(),
            accepted.messageId(),
            accepted.replayed(),
            accepted.deliveries(),
            warnings)
        : result;
  }

  @Override
  public Look look(NewMessage message) {
    try {
      EventTypeRules.Verdict verdict =
          rules.look(
              message.environmentId(),
              () -> applicationId(message),
              message.eventType(),
              message.contentType(),
              message.payload());
      return new Look(
          verdict.refuses() ? new AcceptResult.Unfit(verdict.problems()) : null,
          verdict.warnings(),
          verdict.keyWindowMs());
    } catch (DatabaseUnavailable e) {
      return new Look(
          new AcceptResult.Refused("the database is unavailable", GroupCommit.RETRY_AFTER),
          List.of(),
          0);
    } catch (EvaluationBusy e) {
      return new Look(
          new AcceptResult.Refused(String.valueOf(e.getMessage()), GroupCommit.RETRY_AFTER),
          List.of(),
          0);
    }
  }

  private @Nullable ApplicationId applicationId(NewMessage message) {
    Routing routing = routings.get(message.environmentId(), message.application());
    return routing == null ? null : new ApplicationId(routing.applicationId());
  }
}
