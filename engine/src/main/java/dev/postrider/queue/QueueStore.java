package dev.postrider.queue;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.event.EventPublisher;
import dev.postrider.field.FieldRows;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.id.QueueId;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationRows;
import dev.postrider.tenant.LimitReached;
import dev.postrider.tenant.UidTaken;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The rows of queues. Every change locks the application and increments its routing version. */
public final class QueueStore {
  /** Maximum number of queues of an application. */
  public static final int MAX_QUEUES = 1_000;

  private static final int CANCEL_BATCH = 1_000;
  private static final FieldRows FIELDS = new FieldRows(QueueFields.ALL);
  private static final String SELECT =
      "SELECT id, application_id, " + FIELDS.columns() + ", created_at, updated_at FROM queues";

  private static final String INSERT =
      """
      INSERT INTO queues (id, application_id, <fields>, key_hash, created_at, updated_at)
      VALUES (:id, :application, <values>, :key, :now, :now)
      """
          .replace("<fields>", FIELDS.columns())
          .replace("<values>", FIELDS.parameters());

  private static final String UPDATE =
      "UPDATE queues SET <fields>, version = version + 1, updated_at = :now WHERE id = :id"
          .replace("<fields>", FIELDS.assignments());

  private final Database database;
  private final Ids ids;
  private final TimeSource time;
  private final EventPublisher events;

  /**
   * @param events receives a {@link StatusChange} of the canceled deliveries of a deleted queue
   */
  public QueueStore(Database database, Ids ids, TimeSource time, EventPublisher events) {
    this.events = events;
    this.database = database;
    this.ids = ids;
    this.time = time;
  }

  /**
   * @return null if the application does not exist
   * @throws UidTaken if another queue of the application has the name
   * @throws InvalidFields if another queue has the key
   */
  public @Nullable Queue create(Application application, Queue.Spec spec, String key) {
    QueueId id = new QueueId(ids.next());
    return database
        .write(
            handle ->
                lock(handle, application.id())
                    .flatMap(
                        _ -> {
                          refuseTaken(handle, application.id(), id, spec.name());
                          refuseTooMany(handle, application.id());
                          takeKey(handle, id, key);
                          insert(handle, application.id(), id, spec, key);
                          return byId(handle, application.id(), id);
                        }))
        .orElse(null);
  }

  private void insert(
      Handle handle, ApplicationId applicationId, QueueId id, Queue.Spec spec, String key) {
    FIELDS
        .bind(handle.createUpdate(INSERT), spec.values())
        .bind("id", id)
        .bind("application", applicationId)
        .bind("key", QueueKeys.hash(key))
        .bind("now", time.nowMs())
        .execute();
    handle
        .createUpdate("INSERT INTO lanes (id, application_id) VALUES (:id, :application)")
        .bind("id", id)
        .bind("application", applicationId)
        .execute();
    subscribe(handle, applicationId, id, spec.get(QueueFields.SUBSCRIPTIONS));
  }

  private static void subscribe(
      Handle handle, ApplicationId applicationId, QueueId id, List<String> patterns) {
    handle
        .createUpdate(
            "DELETE FROM subscriptions WHERE application_id = :application AND endpoint_id = :id")
        .bind("application", applicationId)
        .bind("id", id)
        .execute();
    for (String pattern : patterns) {
      handle
          .createUpdate(
              "INSERT INTO subscriptions (application_id, endpoint_id, pattern) VALUES"
                  + " (:application, :id, :pattern)")
          .bind("application", applicationId)
          .bind("id", id)
          .bind("pattern", pattern)
          .execute();
    }
  }

  /**
   * @param change a pure function, for the transaction may be re-run
   * @return null if the queue does not exist
   */
  public @Nullable Queue update(
      ApplicationId applicationId, String name, UnaryOperator<Queue.Spec> change) {
    return database
        .write(
            handle ->
                lock(handle, applicationId)
                    .flatMap(_ -> find(handle, applicationId, name))
                    .flatMap(
                        before -> {
                          Queue.Spec spec = change.apply(before.spec());
                          refuseTaken(handle, applicationId, before.id(), spec.name());
                          FIELDS
                              .bind(handle.createUpdate(UPDATE), spec.values())
                              .bind("id", before.id())
                              .bind("now", time.nowMs())
                              .execute();
                          subscribe(
                              handle,
                              applicationId,
                              before.id(),
                              spec.get(QueueFields.SUBSCRIPTIONS));
                          return byId(handle, applicationId, before.id());
                        }))
        .orElse(null);
  }

  /**
   * Gives the queue another key; the old one is revoked at once.
   *
   * @throws InvalidFields if another queue has the key
   */
  public boolean rotateKey(Queue queue, String key) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          takeKey(handle, queue.id(), key);
          int rotated =
              handle
                  .createUpdate(
                      "UPDATE queues SET key_hash = :key, updated_at = :now WHERE id = :id AND"
                          + " deleted_at IS NULL")
                  .bind("key", QueueKeys.hash(key))
                  .bind("now", time.nowMs())
                  .bind("id", queue.id())
                  .execute();
          if (rotated == 1) {
            audit(handle, actor, AuditAction.QUEUE_KEY_ROTATE, queue);
          }
          return rotated == 1;
        });
  }

  /** Until the queue gets another key, none is valid. */
  public void dropKey(Queue queue) {
    database.write(handle -> dropKey(handle, queue.id()));
  }

  /** Takes the key from a deleted queue; rejects it if an active one has it. */
  private void takeKey(Handle handle, QueueId own, String key) {
    handle
        .createQuery("SELECT id FROM queues WHERE key_hash = :key AND id <> :own")
        .bind("key", QueueKeys.hash(key))
        .bind("own", own)
        .mapTo(Id.class)
        .findOne()
        .ifPresent(
            holder -> {
              if (live(handle, "id = :wanted", holder).isPresent()) {
                throw new InvalidFields(
                    Problem.inBody(
                        "key", "another queue already has this key; choose a different key"));
              }
              dropKey(handle, new QueueId(holder));
            });
  }

  /** The column must be unique and not null; an id is shorter than any hash. */
  private static int dropKey(Handle handle, QueueId id) {
    return handle
        .createUpdate("UPDATE queues SET key_hash = :none WHERE id = :id")
        .bind("none", id.value().bytes())
        .bind("id", id)
        .execute();
  }

  private void audit(Handle handle, Actor actor, AuditAction action, Queue queue) {
    AuditRows.ofApplication(
        handle,
        ids.next(),
        actor,
        action,
        new ApplicationId(queue.applicationId().value()),
        queue.id().text());
  }

  /** Hides the queue and cancels its pending deliveries. */
  public boolean delete(ApplicationId applicationId, String name) {
    Queue queue = find(applicationId, name);
    if (queue == null) {
      return false;
    }
    Actor actor = Actor.current();
    boolean deleted =
        database.write(
            handle -> {
              if (lock(handle, applicationId).isEmpty()
                  || handle
                          .createUpdate(
                              "UPDATE queues SET deleted_at = :now WHERE id = :id AND deleted_at"
                                  + " IS NULL")
                          .bind("now", time.nowMs())
                          .bind("id", queue.id())
                          .execute()
                      != 1) {
                return false;
              }
              audit(handle, actor, AuditAction.QUEUE_DELETE, queue);
              return true;
            });
    if (deleted) {
      cancelAll(applicationId, queue.id());
    }
    return deleted;
  }

  /** Cancels pending deliveries in the queues of a deleted application. */
  public void applicationDeleted(ApplicationId applicationId) {
    list(applicationId).forEach(queue -> cancelAll(applicationId, queue.id()));
  }

  /**
   * Cancels pending deliveries in deleted queues, or in those of deleted applications: the process
   * may have stopped between the deletion and the cancellation.
   */
  public void finishDeletions() {
    List<Gone> gone =
        database.read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT q.application_id, q.id FROM queues q JOIN applications a ON a.id = q.application_id
                        WHERE q.deleted_at IS NOT NULL OR a.deleted_at IS NOT NULL
                        """)
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row ->
                                new Gone(
                                    new ApplicationId(row.id("application_id")),
                                    new QueueId(row.id("id")))))
                    .list());
    gone.forEach(queue -> cancelAll(queue.applicationId(), queue.id()));
  }

  private record Gone(ApplicationId applicationId, QueueId id) {}

  /** In batches, so that the rows are not locked for long. */
  private void cancelAll(ApplicationId applicationId, QueueId queueId) {
    List<Id> batch;
    do {
      batch = cancel(applicationId, queueId);
      if (!batch.isEmpty()) {
        events.publish(
            new StatusChange(
                applicationId.value(),
                queueId.value(),
                IdKind.QUEUE,
                batch,
                DeliveryStatus.CANCELED,
                null,
                EndReason.QUEUE_DELETED));
      }
    } while (!batch.isEmpty());
  }

  private List<Id> cancel(ApplicationId applicationId, QueueId queueId) {
    return database.write(
        handle -> {
          List<Id> waiting =
              handle
                  .createQuery(
                      "SELECT id FROM deliveries WHERE application_id = :app AND lane_id = :lane"
                          + " AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT"
                          + " :limit")
                  .bind("app", applicationId)
                  .bind("lane", queueId)
                  .bind("limit", CANCEL_BATCH)
                  .mapTo(Id.class)
                  .list();
          return waiting.isEmpty()
              ? waiting
              : handle
                  .createQuery(
                      StoredCodes.sql(
                          """
                          UPDATE deliveries SET status = {CANCELED}, reason = :reason, finished_at = :now, next_attempt_at = NULL
                           WHERE application_id = :app AND id IN (<ids>) AND status IN ({PENDING}, {SENDING}, {FAILED})
                          RETURNING id
                          """))
                  .bind("reason", EndReason.QUEUE_DELETED.text())
                  .bind("now", time.nowMs())
                  .bind("app", applicationId)
                  .bindList("ids", waiting)
                  .mapTo(Id.class)
                  .list();
        });
  }

  /** The active queue with that id or name; null if there is none. */
  public @Nullable Queue find(ApplicationId applicationId, String name) {
    return database.read(handle -> find(handle, applicationId, name)).orElse(null);
  }

  /** The active queue with this key; null if there is none. */
  public @Nullable Queue byKey(String key) {
    return database
        .read(handle -> live(handle, "key_hash = :wanted", QueueKeys.hash(key)))
        .orElse(null);
  }

  /** The queue with this polling token; null if there is none. */
  public @Nullable Queue byToken(String token) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT queue_id FROM queue_tokens WHERE hash = :hash AND (expires_at IS"
                            + " NULL OR expires_at > :now)")
                    .bind("hash", QueueKeys.hash(token))
                    .bind("now", time.nowMs())
                    .mapTo(Id.class)
                    .findOne()
                    .flatMap(id -> live(handle, "id = :wanted", id)))
        .orElse(null);
  }

  private Optional<Queue> live(Handle handle, String condition, Object wanted) {
    return handle
        .createQuery(
            SELECT
                + " WHERE "
                + condition
                + """
                 AND deleted_at IS NULL AND EXISTS
                  (SELECT 1 FROM applications a WHERE a.id = queues.application_id AND a.deleted_at IS NULL)
                """)
        .bind("wanted", wanted)
        .map(Row.mapper(database.dialect(), row -> queue(handle, row)))
        .findOne();
  }

  /** Whether the id or uid is that of the application of this queue. */
  public boolean isOf(Queue queue, String application) {
    return application.equals(queue.applicationId().text())
        || database
            .read(
                handle ->
                    handle
                        .createQuery(
                            "SELECT uid FROM applications WHERE id = :id AND deleted_at IS NULL AND"
                                + " uid IS NOT NULL")
                        .bind("id", queue.applicationId())
                        .mapTo(String.class)
                        .findOne())
            .filter(application::equals)
            .isPresent();
  }

  /** All live queues of the application, by name. */
  public List<Queue> list(ApplicationId applicationId) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    SELECT
                        + " WHERE application_id = :application AND deleted_at IS NULL ORDER BY"
                        + " name")
                .bind("application", applicationId)
                .map(Row.mapper(database.dialect(), row -> queue(handle, row)))
                .list());
  }

  /**
   * A queue in the list of all queues.
   *
   * @param applicationUid null if the application has none
   */
  public record Listed(Queue queue, @Nullable String applicationUid) {}

  /**
   * The live queues of an environment, by id.
   *
   * @param applicationId null for all applications
   */
  public Keyset.Page<Listed> all(
      String environmentId, @Nullable ApplicationId applicationId, Keyset<Id> keyset) {
    String sql =
        """
        SELECT q.id, q.application_id, <fields>, q.created_at, q.updated_at, a.uid AS application_uid
          FROM queues q JOIN applications a ON a.id = q.application_id
         WHERE a.environment_id = :environment AND a.deleted_at IS NULL AND q.deleted_at IS NULL <application> <from>
         ORDER BY q.id <way> LIMIT :fetch
        """
            .replace("<fields>", FIELDS.select("q"))
            .replace("<application>", applicationId == null ? "" : "AND a.id = :application")
            .replace("<from>", keyset.from() == null ? "" : "AND q.id <beyond> :from");
    return database.read(
        handle -> {
          var query =
              handle
                  .createQuery(keyset.apply(sql))
                  .bind("environment", environmentId)
                  .bind("fetch", keyset.fetch());
          if (applicationId != null) {
            query.bind("application", applicationId);
          }
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(
              query
                  .map(
                      Row.mapper(
                          database.dialect(),
                          row -> new Listed(queue(handle, row), row.textOrNull("application_uid"))))
                  .list());
        });
  }

  private Optional<Application> lock(Handle handle, ApplicationId applicationId) {
    return ApplicationRows.lockAndBump(
        handle, database.dialect(), new ApplicationId(applicationId.value()));
  }

  private void refuseTaken(Handle handle, ApplicationId applicationId, QueueId own, String name) {
    find(handle, applicationId, name)
        .filter(other -> !other.id().equals(own))
        .ifPresent(
            _ -> {
              throw new UidTaken(name);
            });
  }

  private static void refuseTooMany(Handle handle, ApplicationId applicationId) {
    int count =
        handle
            .createQuery(
                "SELECT count(*) FROM queues WHERE application_id = :application AND deleted_at IS"
                    + " NULL")
            .bind("application", applicationId)
            .mapTo(Integer.class)
            .one();
    if (count >= MAX_QUEUES) {
      throw new LimitReached(
          "the application already has %d queues, which is the limit; delete one"
              .formatted(MAX_QUEUES));
    }
  }

  private Optional<Queue> find(Handle handle, ApplicationId applicationId, String name) {
    QueueId id = name.startsWith(IdKind.QUEUE.prefix()) ? QueueId.parse(name) : null;
    if (id != null) {
      return byId(handle, applicationId, id);
    }
    return handle
        .createQuery(
            SELECT + " WHERE application_id = :application AND name = :name AND deleted_at IS NULL")
        .bind("application", applicationId)
        .bind("name", name)
        .map(Row.mapper(database.dialect(), row -> queue(handle, row)))
        .findOne();
  }

  private Optional<Queue> byId(Handle handle, ApplicationId applicationId, QueueId id) {
    return handle
        .createQuery(
            SELECT + " WHERE id = :id AND application_id = :application AND deleted_at IS NULL")
        .bind("id", id)
        .bind("application", applicationId)
        .map(Row.mapper(database.dialect(), row -> queue(handle, row)))
        .findOne();
  }

  private Queue queue(Handle handle, Row row) throws SQLException {
    QueueId id = new QueueId(row.id("id"));
    ApplicationId applicationId = new ApplicationId(row.id("application_id"));
    List<String> patterns =
        handle
            .createQuery(
                "SELECT pattern FROM subscriptions WHERE application_id = :application AND"
                    + " endpoint_id = :id ORDER BY pattern")
            .bind("application", applicationId)
            .bind("id", id)
            .mapTo(String.class)
            .list();
    return new Queue(
        id,
        applicationId,
        new Queue.Spec(FIELDS.read(row)).with(QueueFields.SUBSCRIPTIONS, patterns),
        row.time("created_at"),
        row.time("updated_at"));
  }
}
