package dev.postrider.message;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** Reads stored messages, newest first. */
public final class MessageReader {
  private static final String COLUMNS =
      "id, event_type, event_id, channels, tags, content_type, deliver_at, max_retries";

  private final Database database;

  public MessageReader(Database database) {
    this.database = database;
  }

  /** The message with that id or event id; null if there is none. */
  public @Nullable Message find(
      ApplicationId applicationId, String idOrEventId, boolean withContent) {
    boolean byId = idOrEventId.startsWith(IdKind.MESSAGE.prefix());
    Id id = byId ? Id.parse(IdKind.MESSAGE, idOrEventId) : null;
    if (byId && id == null) {
      return null;
    }
    return database
        .read(
            handle -> {
              Query query =
                  handle
                      .createQuery(
                          select(withContent)
                              + " AND id = "
                              + (byId
                                  ? ":id"
                                  : "(SELECT message_id FROM event_ids WHERE application_id ="
                                      + " :application AND event_id = :eventId)"))
                      .bind("application", applicationId);
              if (id != null) {
                query.bind("id", id);
              } else {
                query.bind("eventId", idOrEventId);
              }
              return query.map(Row.mapper(database.dialect(), MessageReader::read)).findOne();
            })
        .orElse(null);
  }

  /** These messages by id, as far as they exist. */
  public Map<MessageId, Message> all(
      ApplicationId applicationId, Collection<MessageId> ids, boolean withContent) {
    if (ids.isEmpty()) {
      return Map.of();
    }
    return database.read(
        handle ->
            handle
                .createQuery(select(withContent) + " AND id IN (<ids>)")
                .bind("application", applicationId)
                .bindList("ids", List.copyOf(ids))
                .map(Row.mapper(database.dialect(), MessageReader::read))
                .stream()
                .collect(Collectors.toMap(Message::id, Function.identity())));
  }

  /** Those of these messages whose payload is still stored. */
  public Set<MessageId> withPayload(
      Handle handle, ApplicationId applicationId, Collection<MessageId> ids) {
    if (ids.isEmpty()) {
      return Set.of();
    }
    return handle
        .createQuery(
            "SELECT id FROM messages WHERE application_id = :application AND id IN (<ids>) AND"
                + " payload IS NOT NULL")
        .bind("application", applicationId)
        .bindList("ids", List.copyOf(ids))
        .mapTo(Id.class)
        .map(MessageId::new)
        .set();
  }

  public Keyset.Page<Message> list(
      ApplicationId applicationId, MessageFilter filter, Keyset<Id> keyset, boolean withContent) {
    return database.read(
        handle -> keyset.page(rows(handle, applicationId, filter, keyset, withContent)));
  }

  /**
   * The rows of a page and one more, in the order read; for readers that look further into each
   * message.
   */
  public List<Message> rows(
      Handle handle,
      ApplicationId applicationId,
      MessageFilter filter,
      Keyset<Id> keyset,
      boolean withContent) {
    String sql =
        select(withContent)
            + where(filter)
            + (keyset.from() == null ? "" : " AND id <beyond> :from")
            + " ORDER BY id <way> LIMIT :fetch";
    Query query =
        bind(handle.createQuery(keyset.apply(sql)), filter)
            .bind("application", applicationId)
            .bind("fetch", keyset.fetch());
    if (keyset.from() != null) {
      query.bind("from", keyset.from());
    }
    return query.map(Row.mapper(database.dialect(), MessageReader::read)).list();
  }

  private static String select(boolean withContent) {
    return "SELECT "
        + COLUMNS
        + (withContent ? ", payload, headers" : ", NULL AS payload, NULL AS headers")
        + " FROM messages WHERE application_id = :application";
  }

  /**
   * The columns hold lists as {@link TextList} writes them; replacing a name is how both databases
   * test exactly for it.
   */
  private static String where(MessageFilter filter) {
    StringBuilder sql = new StringBuilder();
    if (filter.channel() != null) {
      sql.append(" AND replace(channels, :channel, '') <> channels");
    }
    if (filter.tag() != null) {
      sql.append(" AND replace(tags, :tag, '') <> tags");
    }
    if (!filter.eventTypes().isEmpty()) {
      sql.append(" AND event_type IN (<eventTypes>)");
    }
    if (filter.before() != null) {
      sql.append(" AND id < :before");
    }
    if (filter.after() != null) {
      sql.append(" AND id >= :after");
    }
    return sql.toString();
  }

  private static <S extends SqlStatement<S>> S bind(S statement, MessageFilter filter) {
    if (filter.channel() != null) {
      statement.bind("channel", "," + filter.channel() + ",");
    }
    if (filter.tag() != null) {
      statement.bind("tag", "," + filter.tag() + ",");
    }
    if (!filter.eventTypes().isEmpty()) {
      statement.bindList("eventTypes", filter.eventTypes());
    }
    if (filter.before() != null) {
      statement.bind("before", Id.floorOf(filter.before().toEpochMilli()));
    }
    if (filter.after() != null) {
      statement.bind("after", Id.floorOf(filter.after().toEpochMilli()));
    }
    return statement;
  }

  private static Message read(Row row) throws SQLException {
    return new Message(
        new MessageId(row.id("id")),
        row.text("event_type"),
        row.textOrNull("event_id"),
        TextList.decode(row.textOrNull("channels")),
        TextList.decode(row.textOrNull("tags")),
        row.textOrNull("content_type"),
        row.bytesOrNull("payload"),
        row.timeOrNull("deliver_at"),
        row.integerOrNull("max_retries"),
        row.textOrNull("headers"));
  }
}
