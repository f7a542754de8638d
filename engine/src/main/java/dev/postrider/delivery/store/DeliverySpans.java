package dev.postrider.delivery.store;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.id.Id;
import dev.postrider.storage.Keyset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of the primary key that can contain deliveries of an application: the times of its
 * messages. On SQLite the key of deliveries does not start with the application, so a plain scan
 * would read the deliveries of all other applications.
 *
 * @param spans the first id of each range
 * @param next where to continue; null if there are no more messages
 */
record DeliverySpans(List<Id> spans, @Nullable Id next) {
  /** Messages read for one range of a list. */
  static final int MESSAGES = 500;

  /** Of these messages. */
  static DeliverySpans of(Collection<Id> messages) {
    TreeSet<Id> moments = new TreeSet<>();
    messages.forEach(message -> moments.add(DeliveryIds.first(message)));
    return new DeliverySpans(List.copyOf(moments), null);
  }

  /** Of the next messages of the application, starting at the given delivery. */
  static DeliverySpans next(
      Handle handle,
      Id applicationId,
      DeliveryFilter filter,
      Keyset<Id> keyset,
      @Nullable Id from) {
    boolean up = keyset.readsUpwards();
    List<Id> messages =
        handle
            .createQuery(
                keyset.apply(
                    """
                    SELECT id FROM messages
                     WHERE application_id = :application AND id >= :low AND id <= :high AND id >= :after AND id < :before
                     ORDER BY id <way> LIMIT :most
                    """))
            .bind("application", applicationId)
            .bind("low", up && from != null ? above(from) : Id.ZERO)
            .bind("high", up || from == null ? Id.LARGEST : below(from))
            .bind("after", filter.after() == null ? Id.ZERO : Id.floorOf(filter.after()))
            .bind("before", filter.before() == null ? Id.LARGEST : Id.floorOf(filter.before()))
            .bind("most", MESSAGES)
            .mapTo(Id.class)
            .list();
    Id last = messages.size() < MESSAGES ? null : messages.getLast();
    return new DeliverySpans(
        of(messages).spans(),
        last == null ? null : up ? DeliveryIds.last(last) : DeliveryIds.first(last));
  }

  /** A range that was read completely is not read again. */
  private static Id above(Id from) {
    return from.equals(DeliveryIds.last(from)) ? from : DeliveryIds.first(from);
  }

  private static Id below(Id from) {
    return from.equals(DeliveryIds.first(from)) ? from : DeliveryIds.last(from);
  }

  boolean isEmpty() {
    return spans.isEmpty();
  }

  /** The ranges as a table to join; each is then one search by key. */
  String table() {
    List<String> rows = new ArrayList<>(spans.size());
    for (int i = 0; i < spans.size(); i++) {
      rows.add("(:low" + i + ", :high" + i + ")");
    }
    return "WITH span (low, high) AS (VALUES " + String.join(", ", rows) + ")\n";
  }

  Query bindTo(Query query) {
    for (int i = 0; i < spans.size(); i++) {
      query.bind("low" + i, spans.get(i)).bind("high" + i, DeliveryIds.last(spans.get(i)));
    }
    return query;
  }
}
