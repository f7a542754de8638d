package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.machine.RunStatus;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** What runs send to their parents and children: no transaction changes two runs. */
public final class InboxStore {
  private static final int CHILD_ENDED = 0;
  private static final int PARENT_CANCELED = 1;

  /**
   * A message to a run.
   *
   * @param childEnded whether a child has ended; otherwise the parent gave the run up
   * @param seq the row with which the step of the child began
   * @param child the run that has ended; null if the parent gave this one up
   * @param value its output or error
   */
  public record Message(
      Id id,
      RunRef to,
      boolean childEnded,
      int seq,
      @Nullable Id child,
      RunStatus status,
      @Nullable JsonValue value) {}

  private final Database database;
  private final Dialect dialect;

  public InboxStore(Database database) {
    this.database = database;
    this.dialect = database.dialect();
  }

  /** A child has ended. */
  public void insertEnded(Handle handle, Message message) {
    JsonValue value = message.value();
    Id child = message.child();
    handle
        .createUpdate(
            """
            INSERT INTO workflow_inbox (id, application_id, run_id, kind, seq, info, value)
            VALUES (:id, :app, :run, :kind, :seq, :info, :value) ON CONFLICT DO NOTHING
            """)
        .bind("id", message.id())
        .bind("app", message.to().applicationId())
        .bind("run", message.to().runId())
        .bind("kind", CHILD_ENDED)
        .bind("seq", message.seq())
        .bind("info", message.status().code() + " " + (child == null ? "" : child.uuid()))
        .bind("value", value == null ? null : value.bytes())
        .execute();
  }

  /** The parent gives a child up that was started. */
  public void insertCanceled(Handle handle, Id id, Id parent, Id child, int seq) {
    handle
        .createUpdate(
            """
            INSERT INTO workflow_inbox (id, application_id, run_id, kind, seq, info)
            SELECT :id, application_id, id, :kind, :seq, '' FROM workflow_runs WHERE parent_id = :parent AND id = :child
            ON CONFLICT DO NOTHING
            """)
        .bind("id", id)
        .bind("kind", PARENT_CANCELED)
        .bind("seq", seq)
        .bind("parent", parent)
        .bind("child", child)
        .execute();
  }

  public void delete(Handle handle, Collection<Id> ids) {
    if (!ids.isEmpty()) {
      handle
          .createUpdate("DELETE FROM workflow_inbox WHERE id IN (<ids>)")
          .bindList("ids", List.copyOf(ids))
          .execute();
    }
  }

  /** The oldest messages. */
  public List<Message> next(int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT id, application_id, run_id, kind, seq, info, value FROM workflow_inbox"
                        + " ORDER BY id LIMIT :limit")
                .bind("limit", limit)
                .map(
                    Row.mapper(
                        dialect,
                        row -> {
                          boolean ended = row.integer("kind") == CHILD_ENDED;
                          String[] info = row.text("info").split(" ", 2);
                          byte[] value = row.bytesOrNull("value");
                          return new Message(
                              row.id("id"),
                              new RunRef(row.id("application_id"), row.id("run_id")),
                              ended,
                              row.integer("seq"),
                              ended ? Id.of(UUID.fromString(info[1])) : null,
                              ended ? RunStatus.of(Integer.parseInt(info[0])) : RunStatus.CANCELED,
                              value == null ? null : JsonValue.ofBytes(value));
                        }))
                .list());
  }
}
