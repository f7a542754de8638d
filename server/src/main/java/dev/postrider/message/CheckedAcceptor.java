package dev.postrider.message;

import dev.postrider.endpoint.Routing;
import dev.postrider.eventtype.EventTypeRules;
import dev.postrider.id.Id;
import dev.postrider.json.Problem;
import dev.postrider.storage.DatabaseAway;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns messages away that their event type does not allow, whichever door they came by. */
public final class CheckedAcceptor implements Acceptor {
  private final Acceptor next;
  private final EventTypeRules rules;
  private final RoutingCache routings;

  public CheckedAcceptor(Acceptor next, EventTypeRules rules, RoutingCache routings) {
    this.next = next;
    this.rules = rules;
    this.routings = routings;
  }

  @Override
  public AcceptResult accept(NewMessage message) {
    AcceptResult refused = refused(message);
    return refused == null ? next.accept(message) : refused;
  }

  @Override
  public List<AcceptResult> acceptAll(List<NewMessage> messages) {
    List<@Nullable AcceptResult> results = new ArrayList<>(messages.size());
    List<NewMessage> fitting = new ArrayList<>(messages.size());
    for (NewMessage message : messages) {
      AcceptResult refused = refused(message);
      results.add(refused);
      if (refused == null) {
        fitting.add(message);
      }
    }
    if (fitting.isEmpty()) {
      return List.copyOf(results);
    }
    Iterator<AcceptResult> accepted = next.acceptAll(fitting).iterator();
    return results.stream().map(refused -> refused == null ? accepted.next() : refused).toList();
  }

  private @Nullable AcceptResult refused(NewMessage message) {
    try {
      List<Problem> problems =
          rules.problems(
              message.environmentId(),
              () -> applicationId(message),
              message.eventType(),
              message.contentType(),
              message.payload());
      return problems.isEmpty() ? null : new AcceptResult.Unfit(problems);
    } catch (DatabaseAway e) {
      return new AcceptResult.Refused("the database is away", GroupCommit.RETRY_AFTER);
    }
  }

  private @Nullable Id applicationId(NewMessage message) {
    Routing routing = routings.get(message.environmentId(), message.application());
    return routing == null ? null : routing.applicationId();
  }
}
