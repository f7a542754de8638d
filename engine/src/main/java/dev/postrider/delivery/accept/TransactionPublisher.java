package dev.postrider.delivery.accept;

import dev.postrider.delivery.accept.AcceptStatements.Stamp;
import dev.postrider.endpoint.Routing;
import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.MessagePublisher;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages in transactions of the caller: with the checks, the fan-out and the statements
 * of {@link GroupCommit}, but nothing is leased at insert.
 */
public final class TransactionPublisher implements MessagePublisher {
  private static final String EVENT_ID_TAKEN =
      "another message of the application has this event id";

  /** For the first generation of keys, if this is the first message: it has no key itself. */
  private static final long KEY_WINDOW_MS = Duration.ofDays(1).toMillis();

  private final GroupCommit commits;
  private final Acceptor checks;
  private final RoutingCache routings;
  private final FanOut fanOut;
  private final AcceptStore store;
  private final Database database;
  private final CommitWatermark watermark;
  private final Id instance;
  private final TimeSource time;

  /**
   * @param checks of messages against their event types
   */
  public TransactionPublisher(
      GroupCommit commits,
      Acceptor checks,
      RoutingCache routings,
      FanOut fanOut,
      Database database,
      CommitWatermark watermark,
      Id instance,
      TimeSource time) {
    this.commits = commits;
    this.checks = checks;
    this.routings = routings;
    this.fanOut = fanOut;
    this.store = new AcceptStore(database.dialect());
    this.database = database;
    this.watermark = watermark;
    this.instance = instance;
    this.time = time;
  }

  /** A message that is to be inserted, which readers that must not miss any wait for. */
  private record Planned(PendingAccept pending, CommitWatermark.Span span) implements Publication {
    @Override
    public Id messageId() {
      return pending.messageId;
    }
  }

  @Override
  public Outcome plan(NewMessage message, Id messageId) {
    Routing routing = routings.get(message.environmentId(), message.application());
    if (routing == null) {
      return new Outcome.Rejected(
          "the application %s does not exist".formatted(message.application()));
    }
    AcceptResult refused = Refusals.of(routing, message);
    String why = why(refused == null ? checks.look(message).refused() : refused);
    String eventId = message.eventId();
    if (why == null && eventId != null) {
      Id holder = AcceptStore.eventIdHolder(database, routing.applicationId(), eventId);
      why = holder == null || holder.equals(messageId) ? null : EVENT_ID_TAKEN;
    }
    return why == null
        ? new Outcome.Planned(
            new Planned(fanOut.pending(routing, message, messageId), watermark.begin()))
        : new Outcome.Rejected(why);
  }

  private static @Nullable String why(@Nullable AcceptResult refused) {
    return switch (refused) {
      case null -> null;
      case AcceptResult.Accepted _ -> null;
      case AcceptResult.ApplicationInactive _ -> "the application is inactive";
      case AcceptResult.NoSuchApplication _ -> "the application does not exist";
      case AcceptResult.TooLarge(int maxBytes) ->
          "the payload is larger than %d bytes, the limit of the application".formatted(maxBytes);
      case AcceptResult.Unfit unfit ->
          unfit.problems().isEmpty()
              ? "the message does not fit its event type"
              : unfit.problems().getFirst().msg();
      case AcceptResult.KeyReused _ -> "the idempotency key was used for another message";
      case AcceptResult.EventIdTaken _ -> EVENT_ID_TAKEN;
      case AcceptResult.Invalid(String reason) -> reason;
      case AcceptResult.TooMany _ -> "the rate limit of the application is exceeded";
      // Nothing is wrong with the message: the caller tries again.
      case AcceptResult.Refused refusal ->
          throw new DatabaseUnavailable(refusal.why(), new IllegalStateException(refusal.why()));
    };
  }

  @Override
  public boolean insert(Handle handle, Publication planned) {
    PendingAccept pending = ((Planned) planned).pending();
    long now = time.nowMs();
    return store.insertInTransaction(
        handle, pending, new Stamp(instance, now, now + KEY_WINDOW_MS, null));
  }

  @Override
  public void committed(Publication planned) {
    Planned publication = (Planned) planned;
    publication.span().settled();
    publication.span().close();
    commits.handOver(publication.pending());
  }

  @Override
  public void abandoned(Publication planned) {
    Planned publication = (Planned) planned;
    publication.span().settled();
    publication.span().close();
    NewMessage message = publication.pending().message;
    // It may have been refused because this routing is out of date: the next plan has a newer one.
    routings.reload(
        message.environmentId(), message.application(), publication.pending().routingVersion);
  }
}
