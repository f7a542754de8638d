package dev.postrider.delivery.rowless;

import static java.util.stream.Collectors.groupingBy;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.Targets;
import dev.postrider.id.Id;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads deliveries without a row. One that got a row is in no result: its first attempt exists and
 * was not successful.
 */
public final class RowlessReader {
  /** Ids in one statement. */
  private static final int IDS_AT_ONCE = 1_000;

  private final Dialect dialect;

  public RowlessReader(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The lanes that a message names. */
  private record Named(Id messageId, List<Id> lanes, Set<Id> canceled) {
    static Named read(Row row) throws SQLException {
      return new Named(
          row.id("id"),
          Targets.decode(row.bytesOrNull("targets")),
          Set.copyOf(Targets.decode(row.bytesOrNull("canceled"))));
    }
  }

  /** A first attempt. */
  private record First(boolean success, long endedMs) {}

  /** Those of these messages. */
  public List<Rowless> ofMessages(Handle handle, Id applicationId, Collection<Id> messageIds) {
    return read(handle, applicationId, named(handle, applicationId, messageIds), _ -> true);
  }

  /** Those of these messages to one lane. */
  public List<Rowless> toLane(
      Handle handle, Id applicationId, Id laneId, Collection<Id> messageIds) {
    return read(handle, applicationId, named(handle, applicationId, messageIds), laneId::equals);
  }

  /** One delivery; null if it does not exist or has a row. */
  public @Nullable Rowless find(Handle handle, Id applicationId, Id deliveryId) {
    List<Named> sameTime =
        handle
            .createQuery(
                """
                SELECT id, targets, canceled FROM messages
                 WHERE application_id = :application AND id >= :first AND id <= :last AND targets IS NOT NULL
                """)
            .bind("application", applicationId)
            .bind("first", DeliveryIds.first(deliveryId))
            .bind("last", DeliveryIds.last(deliveryId))
            .map(Row.mapper(dialect, Named::read))
            .list();
    for (Named message : sameTime) {
      for (Id lane : message.lanes()) {
        if (DeliveryIds.of(message.messageId(), lane, Id.ZERO).equals(deliveryId)) {
          List<Rowless> found = read(handle, applicationId, List.of(message), lane::equals);
          return found.isEmpty() ? null : found.getFirst();
        }
      }
    }
    return null;
  }

  private List<Named> named(Handle handle, Id applicationId, Collection<Id> messageIds) {
    List<Named> named = new ArrayList<>();
    for (List<Id> part : parts(List.copyOf(messageIds))) {
      named.addAll(
          handle
              .createQuery(
                  """
                  SELECT id, targets, canceled FROM messages
                   WHERE application_id = :application AND id IN (<ids>) AND targets IS NOT NULL
                  """)
              .bind("application", applicationId)
              .bindList("ids", part)
              .map(Row.mapper(dialect, Named::read))
              .list());
    }
    return named;
  }

  private List<Rowless> read(
      Handle handle, Id applicationId, List<Named> messages, Predicate<Id> lanes) {
    List<Rowless> unended = new ArrayList<>();
    for (Named message : messages) {
      for (Id lane : message.lanes()) {
        if (lanes.test(lane)) {
          unended.add(
              new Rowless(
                  applicationId,
                  message.messageId(),
                  lane,
                  null,
                  message.canceled().contains(lane)));
        }
      }
    }
    Map<Id, First> first =
        firstAttempts(handle, applicationId, unended.stream().map(Rowless::id).toList());
    List<Rowless> found = new ArrayList<>();
    for (Rowless one : unended) {
      First attempt = first.get(one.id());
      if (attempt == null) {
        found.add(one);
      } else if (attempt.success()) {
        found.add(one.deliveredAt(attempt.endedMs()));
      }
    }
    return found;
  }

  private Map<Id, First> firstAttempts(Handle handle, Id applicationId, List<Id> deliveryIds) {
    Map<Id, First> first = new HashMap<>();
    for (List<Id> part : parts(deliveryIds)) {
      handle
          .createQuery(
              """
              SELECT delivery_id, outcome, sent_at + latency_ms AS ended FROM attempts
               WHERE application_id = :application AND delivery_id IN (<ids>) AND number = 1
              """)
          .bind("application", applicationId)
          .bindList("ids", part)
          .map(
              Row.mapper(
                  dialect,
                  row ->
                      Map.entry(
                          row.id("delivery_id"),
                          new First(row.integer("outcome") == 0, row.number("ended")))))
          .forEach(entry -> first.put(entry.getKey(), entry.getValue()));
    }
    return first;
  }

  /** The deliveries that lease batches name, of an application, whether they have ended or not. */
  public List<LeaseBatch.Item> leasedOf(Handle handle, Id applicationId) {
    return leased(handle, applicationId, item -> item.applicationId().equals(applicationId));
  }

  /** The same of one lane. */
  public List<LeaseBatch.Item> leasedTo(Handle handle, Id laneId) {
    return leased(handle, laneId, item -> item.laneId().equals(laneId));
  }

  /**
   * Only the batches in which the id occurs leave the database: most name other applications. All
   * of them, as a prune relies on it; there are no more than what the instances can lease.
   */
  private List<LeaseBatch.Item> leased(Handle handle, Id named, Predicate<LeaseBatch.Item> wanted) {
    String occurs =
        switch (dialect) {
          case SQLITE -> "instr(items, :id) > 0";
          case POSTGRES -> "position(CAST(:id AS bytea) IN items) > 0";
        };
    return handle
        .createQuery("SELECT items FROM lease_batches WHERE " + occurs)
        .bind("id", named.bytes())
        .map(Row.mapper(dialect, row -> LeaseBatch.decode(row.bytes("items"))))
        .stream()
        .flatMap(List::stream)
        .filter(wanted)
        .toList();
  }

  /**
   * Of deliveries that lease batches name, those that are still being sent. One whose message does
   * not exist was never written.
   */
  public List<Rowless> sending(Handle handle, Collection<LeaseBatch.Item> leased) {
    List<Rowless> sending = new ArrayList<>();
    leased.stream()
        .collect(groupingBy(LeaseBatch.Item::applicationId))
        .forEach(
            (application, items) -> {
              List<Id> ids = items.stream().map(LeaseBatch.Item::deliveryId).toList();
              Set<Id> tried = firstAttempts(handle, application, ids).keySet();
              List<LeaseBatch.Item> untried =
                  items.stream().filter(item -> !tried.contains(item.deliveryId())).toList();
              Map<Id, Set<Id>> canceled =
                  canceled(handle, application, untried.stream().map(LeaseBatch.Item::messageId));
              for (LeaseBatch.Item item : untried) {
                Set<Id> lanes = canceled.get(item.messageId());
                if (lanes != null) {
                  boolean requested = lanes.contains(item.laneId());
                  sending.add(
                      new Rowless(application, item.messageId(), item.laneId(), null, requested));
                }
              }
            });
    return sending;
  }

  /** The lanes for which each of these messages was canceled; only messages that exist. */
  private Map<Id, Set<Id>> canceled(Handle handle, Id applicationId, Stream<Id> messageIds) {
    Map<Id, Set<Id>> canceled = new HashMap<>();
    for (List<Id> part : parts(messageIds.distinct().toList())) {
      handle
          .createQuery(
              "SELECT id, canceled FROM messages WHERE application_id = :application AND id IN"
                  + " (<ids>)")
          .bind("application", applicationId)
          .bindList("ids", part)
          .map(
              Row.mapper(
                  dialect,
                  row ->
                      Map.entry(
                          row.id("id"), Set.copyOf(Targets.decode(row.bytesOrNull("canceled"))))))
          .forEach(entry -> canceled.put(entry.getKey(), entry.getValue()));
    }
    return canceled;
  }

  private static <T> List<List<T>> parts(List<T> all) {
    List<List<T>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += IDS_AT_ONCE) {
      parts.add(all.subList(from, Math.min(all.size(), from + IDS_AT_ONCE)));
    }
    return parts;
  }
}
