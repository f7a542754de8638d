package dev.postrider.delivery;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.DatabaseAway;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Resends and recoveries. */
public final class Redriver implements Redrive {
  static final int PAGE = 500;
  private static final System.Logger LOG = System.getLogger(Redriver.class.getName());

  private final RedriveStore store;
  private final LaneBook book;
  private final Runnable tellOthers;
  private final Ids ids;
  private final TimeSource time;

  public Redriver(
      RedriveStore store, LaneBook book, Runnable tellOthers, Ids ids, TimeSource time) {
    this.store = store;
    this.book = book;
    this.tellOthers = tellOthers;
    this.ids = ids;
    this.time = time;
  }

  @Override
  public ResendResult resend(Id applicationId, Id messageId, Id endpointId) {
    RedriveStore.Subject subject = store.subject(applicationId, messageId, endpointId);
    if (!subject.message()) {
      return new ResendResult.NoSuchMessage();
    }
    if (!subject.endpoint()) {
      return new ResendResult.NoSuchEndpoint();
    }
    if (subject.disabled()) {
      return new ResendResult.EndpointDisabled();
    }
    if (!subject.payload()) {
      return new ResendResult.PayloadGone();
    }
    Id delivery = DeliveryIds.of(messageId, endpointId, ids.next());
    try {
      if (!store.insertManual(
          applicationId, delivery, messageId, endpointId, subject.ordered(), time.nowMs())) {
        return new ResendResult.NoSuchMessage();
      }
    } catch (DatabaseAway e) {
      return new ResendResult.Refused("the database is away");
    }
    queued(endpointId);
    return new ResendResult.Queued(delivery);
  }

  @Override
  public Id recover(Id applicationId, Id endpointId, long sinceMs, @Nullable Long untilMs) {
    return inBackground(applicationId, endpointId, sinceMs, untilMs, false);
  }

  @Override
  public Id redriveDeadLetters(
      Id applicationId, Id endpointId, long sinceMs, @Nullable Long untilMs) {
    return inBackground(applicationId, endpointId, sinceMs, untilMs, true);
  }

  @Override
  public boolean redrive(Id applicationId, DeliveryView delivery) {
    boolean redriven =
        store.redriveOne(applicationId, delivery.id(), delivery.laneId(), time.nowMs());
    if (redriven) {
      queued(delivery.laneId());
    }
    return redriven;
  }

  @Override
  public Id sendExample(Id applicationId, Id endpointId, String eventType, byte[] payload) {
    Id message = ids.next();
    Id delivery = DeliveryIds.of(message, endpointId, ids.next());
    boolean ordered = store.subject(applicationId, message, endpointId).ordered();
    store.insertExample(
        new RedriveStore.Example(applicationId, message, delivery, endpointId, eventType, payload),
        ordered,
        time.nowMs());
    queued(endpointId);
    return message;
  }

  private Id inBackground(
      Id applicationId,
      Id endpointId,
      long sinceMs,
      @Nullable Long untilMs,
      boolean deadLettersOnly) {
    Id task = ids.next();
    long until = untilMs == null ? time.nowMs() : untilMs;
    Thread.ofVirtual()
        .name("recover")
        .start(() -> recoverAll(applicationId, endpointId, sinceMs, until, deadLettersOnly));
    return task;
  }

  private void recoverAll(
      Id applicationId, Id endpointId, long sinceMs, long untilMs, boolean deadLettersOnly) {
    Id after = Id.floorOf(sinceMs);
    Id until = Id.floorOf(untilMs + 4);
    int redriven = 0;
    try {
      while (after != null) {
        RedriveStore.Page page =
            store.redrive(
                applicationId, endpointId, after, until, deadLettersOnly, time.nowMs(), PAGE);
        redriven += page.redriven();
        after = page.last();
        if (page.redriven() > 0) {
          queued(endpointId);
        }
      }
      LOG.log(Level.INFO, "recovered {0} deliveries", redriven);
    } catch (RuntimeException e) {
      LOG.log(
          Level.WARNING,
          "a recovery stopped after {0} deliveries: {1}; ask for it again",
          redriven,
          e.getMessage());
    }
  }

  private void queued(Id endpointId) {
    book.add(endpointId, time.nowMs());
    tellOthers.run();
  }
}
