package dev.postrider.delivery.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * The first keys of a list over several applications, of which only the keys of one application are
 * in the order of the list. Of n keys, at most n applications have one: those whose own first key
 * is among the first n. So the first keys of all applications are collected, which is one look-up
 * in an index each, and only these applications are read.
 */
final class MergedKeys {
  /** Applications that one statement reads. */
  private static final int AT_ONCE = 20;

  /** A row of the list: its application, and the id by which the list is sorted. */
  record Key(Id applicationId, Id id) {}

  /**
   * Which part of the list is read.
   *
   * @param from where the part before ended; null for the start
   * @param before by the time of the message, as all order by ids
   */
  record Window(@Nullable Id from, @Nullable Instant before, @Nullable Instant after) {
    String sql(String id) {
      return (from == null ? "" : " AND <id> <beyond> :from")
          .concat(before == null ? "" : " AND <id> < :before")
          .concat(after == null ? "" : " AND <id> >= :after")
          .replace("<id>", id);
    }

    Query bindTo(Query query) {
      if (from != null) {
        query.bind("from", from);
      }
      if (before != null) {
        query.bind("before", Id.floorOf(before));
      }
      if (after != null) {
        query.bind("after", Id.floorOf(after));
      }
      return query;
    }
  }

  private final int most;
  private final Comparator<Key> order;
  private final Keyset<Id> keyset;

  /** The last one first. */
  private final PriorityQueue<Key> firsts;

  /**
   * @param most maximum number of keys
   */
  MergedKeys(Keyset<Id> keyset, int most) {
    Comparator<Key> byId = Comparator.comparing(Key::id);
    this.keyset = keyset;
    this.most = most;
    this.order = keyset.readsUpwards() ? byId : byId.reversed();
    this.firsts = new PriorityQueue<>(order.reversed());
  }

  /** The first keys of some applications. */
  void add(Collection<Key> firstOfEach) {
    for (Key key : firstOfEach) {
      firsts.add(key);
      if (firsts.size() > most) {
        firsts.poll();
      }
    }
  }

  /**
   * The first keys of the list, in its order.
   *
   * @param rows selects application_id and id of the rows of one application, named {@code <owner>}
   * @param bind binds what rows contains
   */
  List<Key> read(Handle handle, Dialect dialect, String rows, UnaryOperator<Query> bind) {
    List<Id> applications =
        firsts.stream().sorted(order).map(Key::applicationId).distinct().toList();
    List<Key> found = new ArrayList<>();
    for (int at = 0; at < applications.size(); at += AT_ONCE) {
      Id last = found.size() < most ? null : found.getLast().id();
      found.addAll(
          part(
                  handle,
                  applications.subList(at, Math.min(applications.size(), at + AT_ONCE)),
                  rows + (last == null ? "" : " AND id <within> :last"),
                  query -> last == null ? bind.apply(query) : bind.apply(query).bind("last", last))
              .map(Row.mapper(dialect, row -> new Key(row.id("application_id"), row.id("id"))))
              .list());
      found = new ArrayList<>(firstOf(found));
    }
    return found;
  }

  /** Those that are first in the list, in its order. */
  List<Key> firstOf(List<Key> keys) {
    return keys.stream().sorted(order).limit(most).toList();
  }

  private Query part(Handle handle, List<Id> applications, String rows, UnaryOperator<Query> bind) {
    List<String> parts = new ArrayList<>();
    for (int n = 0; n < applications.size(); n++) {
      parts.add(
          "SELECT * FROM ("
              + rows.replace("<owner>", ":app" + n)
                  .replace("<within>", keyset.readsUpwards() ? "<=" : ">=")
              + " ORDER BY id <way> LIMIT :most) AS s"
              + n);
    }
    Query query =
        bind.apply(
            handle
                .createQuery(
                    keyset.apply(
                        String.join(" UNION ALL ", parts) + " ORDER BY id <way> LIMIT :most"))
                .bind("most", most));
    for (int n = 0; n < applications.size(); n++) {
      query.bind("app" + n, applications.get(n));
    }
    return query;
  }
}
